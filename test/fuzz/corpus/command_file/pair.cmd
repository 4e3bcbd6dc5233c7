# A pair of boxes in one process, without a cable: port 0 reads in.pcap as the host's frames and
# compresses them to port 1, a ring that gives them back as from the line; they are restored and
# written to out.pcap, equal to in.pcap.
#
#   linepress --no-huge -m 512 --no-pci --file-prefix=pair -l 0,1 --vdev=net_pcap0,rx_pcap=in.pcap,tx_pcap=out.pcap --vdev=net_ring0 -- --cmdline-file=configs/pair.cmd
#
# End it with SIGINT (Ctrl-C) or SIGTERM, and it prints its totals.

set fwd press
set burst 32
show port summary all
start
