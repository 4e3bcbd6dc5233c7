# As pair.cmd, on a machine or a container with one CPU: the main lcore forwards, and what controls
# it runs beside it on the same CPU. For the lab, not for measurements.
#
#   linepress --no-huge -m 512 --no-pci --file-prefix=one-lcore -l 0 --vdev=net_pcap0,rx_pcap=in.pcap,tx_pcap=out.pcap --vdev=net_ring0 -- --cmdline-file=configs/one-lcore.cmd --idle-sleep-us=100
#
# End it with SIGINT (Ctrl-C) or SIGTERM, and it prints its totals.

set fwd press
show config cores
start
