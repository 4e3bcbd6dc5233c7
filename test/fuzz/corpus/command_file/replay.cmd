# Replay a capture through one box: port 0 reads in.pcap as the host's frames, port 1 writes what
# travels to the far box to line.pcap.
#
#   linepress --no-huge -m 512 --no-pci --file-prefix=replay -l 0,1 --vdev=net_pcap0,rx_pcap=in.pcap --vdev=net_pcap1,tx_pcap=line.pcap -- --cmdline-file=configs/replay.cmd
#
# End it with SIGINT (Ctrl-C) or SIGTERM, and it prints its totals; frames are read once.

set fwd press
show config fwd
start
