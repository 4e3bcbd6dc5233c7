# A template for two ports of an adapter: the first faces the host, the second the line. Bind them
# (dpdk-devbind.py) and reserve hugepages (dpdk-hugepages.py --setup 2G) as for testpmd, and make a
# key, the same on both boxes: see README.md.
#
# Two lcores forward, one receive and one transmit queue of each port belongs to each of them; RSS
# keeps the frames of a flow on one. Frames are jumbo, with 16 bytes on the line to escape those
# that look coded.
#
#   linepress -l 0-2 -a 0000:3b:00.0 -a 0000:3b:00.1 -- --nb-cores=2 --rxq=2 --txq=2 --rxd=1024 --txd=1024 --max-pkt-len=9042 --key-file=/etc/linepress/key --cmdline-file=configs/nic.cmd

set fwd press
set burst 32
set promisc all on
set allmulti all on
show port summary all
show port 0 rss-hash
show config cores
start
