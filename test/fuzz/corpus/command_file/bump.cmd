# A bump in the wire between two interfaces of the kernel: eth0 faces the host, eth1 the line.
# Before, hosts' offloads go off (ethtool -K eth0 tx off tso off gso off gro off, the same for the
# host's own interface), for they make frames that no wire carries.
#
#   linepress --no-huge -m 512 --no-pci --file-prefix=bump -l 0,1 --vdev=net_af_packet0,iface=eth0,framesz=9216,blocksz=36864 --vdev=net_af_packet1,iface=eth1,framesz=9216,blocksz=36864 -- --cmdline-file=configs/bump.cmd --idle-sleep-us=100
#
# The far box runs the same. End it with SIGINT (Ctrl-C) or SIGTERM, and it prints its totals.

set fwd press
set promisc all on
show port summary all
start
