# The baseline: as replay.cmd, but frames are forwarded as they are, to out.pcap. What other modes
# cost shows in comparison.
#
#   linepress --no-huge -m 512 --no-pci --file-prefix=io -l 0,1 --vdev=net_pcap0,rx_pcap=in.pcap --vdev=net_pcap1,tx_pcap=out.pcap -- --cmdline-file=configs/io.cmd
#
# End it with SIGINT (Ctrl-C) or SIGTERM, and it prints its totals.

set fwd io
show config rxtx
start
