/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* rte_eth_dev_capability_name */
#define ALLOW_EXPERIMENTAL_API

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_ether.h>

#include "log.h"
#include "report_port.h"

/* Layout of testpmd 22.11, port_infos_display() and those beside it. */
#define STARS "*********************"
#define FIRMWARE_MAX 64
#define HASH_KEY_MAX 128
#define RSS_LINE_COLUMNS 64

static const char *const rss_names[64] = {
	[2] = "ipv4",
	[3] = "ipv4-frag",
	[4] = "ipv4-tcp",
	[5] = "ipv4-udp",
	[6] = "ipv4-sctp",
	[7] = "ipv4-other",
	[8] = "ipv6",
	[9] = "ipv6-frag",
	[10] = "ipv6-tcp",
	[11] = "ipv6-udp",
	[12] = "ipv6-sctp",
	[13] = "ipv6-other",
	[14] = "l2-payload",
	[15] = "ipv6-ex",
	[16] = "ipv6-tcp-ex",
	[17] = "ipv6-udp-ex",
	[18] = "port",
	[19] = "vxlan",
	[20] = "geneve",
	[21] = "nvgre",
	[23] = "gtpu",
	[24] = "eth",
	[25] = "s-vlan",
	[26] = "c-vlan",
	[27] = "esp",
	[28] = "ah",
	[29] = "l2tpv3",
	[30] = "pfcp",
	[31] = "pppoe",
	[32] = "ecpri",
	[33] = "mpls",
	[34] = "ipv4-chksum",
	[35] = "l4-chksum",
	[36] = "l2tpv2",
	[58] = "l2-dst-only",
	[59] = "l2-src-only",
	[60] = "l4-dst-only",
	[61] = "l4-src-only",
	[62] = "l3-dst-only",
	[63] = "l3-src-only",
};

static void
print_rss_fields(uint64_t fields)
{
	int column = 0;

	for (unsigned int bit = 0; bit < RTE_DIM(rss_names); bit++) {
		char name[24];

		if ((fields & RTE_BIT64(bit)) == 0)
			continue;
		if (rss_names[bit] != NULL)
			snprintf(name, sizeof(name), "  %s", rss_names[bit]);
		else
			snprintf(name, sizeof(name), "  user-defined-%u", bit);
		if (column + (int)strlen(name) > RSS_LINE_COLUMNS) {
			printf("\n");
			column = 0;
		}
		column += printf("%s", name);
	}
	printf("\n");
}

/* ---- show port info ---- */

static void
print_identity(const struct port *port)
{
	const struct rte_devargs *devargs = rte_dev_devargs(port->info.device);
	char firmware[FIRMWARE_MAX], name[RTE_ETH_NAME_MAX_LEN] = "";
	struct rte_ether_addr mac;

	if (rte_eth_macaddr_get(port->id, &mac) == 0)
		printf("MAC address: " RTE_ETHER_ADDR_PRT_FMT "\n", RTE_ETHER_ADDR_BYTES(&mac));
	rte_eth_dev_get_name_by_port(port->id, name);
	printf("Device name: %s\n", name);
	printf("Driver name: %s\n", port->info.driver_name);
	if (rte_eth_dev_fw_version_get(port->id, firmware, sizeof(firmware)) != 0)
		snprintf(firmware, sizeof(firmware), "not available");
	printf("Firmware-version: %s\n", firmware);
	if (devargs != NULL && devargs->args != NULL)
		printf("Devargs: %s\n", devargs->args);
	printf("Connect to socket: %d\n", port->socket);
	printf("memory allocation on the socket: %d\n", port->socket);
}

static void
print_link(const struct port *port)
{
	struct rte_eth_link link = { 0 };
	uint16_t mtu;

	if (rte_eth_link_get_nowait(port->id, &link) == 0) {
		printf("Link status: %s\n", link.link_status ? "up" : "down");
		printf("Link speed: %s\n", rte_eth_link_speed_to_str(link.link_speed));
		printf("Link duplex: %s\n",
				link.link_duplex == RTE_ETH_LINK_FULL_DUPLEX ? "full-duplex"
									     : "half-duplex");
		printf("Autoneg status: %s\n",
				link.link_autoneg == RTE_ETH_LINK_AUTONEG ? "On" : "Off");
	}
	if (rte_eth_dev_get_mtu(port->id, &mtu) == 0)
		printf("MTU: %u\n", mtu);
	printf("Promiscuous mode: %s\n",
			rte_eth_promiscuous_get(port->id) > 0 ? "enabled" : "disabled");
	printf("Allmulticast mode: %s\n",
			rte_eth_allmulticast_get(port->id) > 0 ? "enabled" : "disabled");
}

static const char *
on_off(int offloads, int bit)
{
	return (offloads & bit) != 0 ? "on" : "off";
}

static void
print_filters(const struct port *port)
{
	const struct rte_eth_dev_info *info = &port->info;
	const int vlan = rte_eth_dev_get_vlan_offload(port->id);

	printf("Maximum number of MAC addresses: %u\n", info->max_mac_addrs);
	printf("Maximum number of MAC addresses of hash filtering: %u\n", info->max_hash_mac_addrs);
	if (vlan >= 0)
		printf("VLAN offload: \n  strip %s, filter %s, extend %s, qinq strip %s\n",
				on_off(vlan, RTE_ETH_VLAN_STRIP_OFFLOAD),
				on_off(vlan, RTE_ETH_VLAN_FILTER_OFFLOAD),
				on_off(vlan, RTE_ETH_VLAN_EXTEND_OFFLOAD),
				on_off(vlan, RTE_ETH_QINQ_STRIP_OFFLOAD));
	if (info->hash_key_size > 0)
		printf("Hash key size in bytes: %u\n", info->hash_key_size);
	if (info->reta_size > 0)
		printf("Redirection table size: %u\n", info->reta_size);
	if (info->flow_type_rss_offloads == 0) {
		printf("No RSS offload flow type is supported.\n");
		return;
	}
	printf("Supported RSS offload flow types:\n");
	print_rss_fields(info->flow_type_rss_offloads);
}

static void
print_queues(const char *name, uint16_t now, uint16_t max, const struct rte_eth_desc_lim *limits)
{
	printf("Current number of %s queues: %u\n", name, now);
	printf("Max possible %s queues: %u\n", name, max);
	printf("Max possible number of %sDs per queue: %u\n", name, limits->nb_max);
	printf("Min possible number of %sDs per queue: %u\n", name, limits->nb_min);
	printf("%sDs number alignment: %u\n", name, limits->nb_align);
}

static void
print_capabilities(uint64_t capabilities)
{
	printf("Device capabilities: 0x%" PRIx64 "(", capabilities);
	for (unsigned int bit = 0; bit < 64; bit++)
		if ((capabilities & RTE_BIT64(bit)) != 0)
			printf(" %s", rte_eth_dev_capability_name(RTE_BIT64(bit)));
	printf(" )\n");
}

static const char *
error_handling(enum rte_eth_err_handle_mode mode)
{
	switch (mode) {
	case RTE_ETH_ERROR_HANDLE_MODE_NONE:
		return "none";
	case RTE_ETH_ERROR_HANDLE_MODE_PASSIVE:
		return "passive";
	case RTE_ETH_ERROR_HANDLE_MODE_PROACTIVE:
		return "proactive";
	default:
		return "unknown";
	}
}

static void
print_limits(const struct port *port)
{
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(port->id, &info) < 0) /* queues may have changed */
		info = port->info;
	printf("Minimum size of RX buffer: %u\n", info.min_rx_bufsize);
	printf("Maximum configurable length of RX packet: %u\n", info.max_rx_pktlen);
	printf("Maximum configurable size of LRO aggregated packet: %u\n", info.max_lro_pkt_size);
	if (info.max_vfs > 0)
		printf("Maximum number of VFs: %u\n", info.max_vfs);
	if (info.max_vmdq_pools > 0)
		printf("Maximum number of VMDq pools: %u\n", info.max_vmdq_pools);
	print_queues("RX", info.nb_rx_queues, info.max_rx_queues, &info.rx_desc_lim);
	print_queues("TX", info.nb_tx_queues, info.max_tx_queues, &info.tx_desc_lim);
	printf("Max segment number per packet: %u\n", info.tx_desc_lim.nb_seg_max);
	printf("Max segment number per MTU/TSO: %u\n", info.tx_desc_lim.nb_mtu_seg_max);
	print_capabilities(info.dev_capa);
	printf("Device error handling mode: %s\n", error_handling(info.err_handle_mode));
}

void
report_port_info(const struct port *port)
{
	printf("\n" STARS " Infos for port %-2u " STARS "\n", port->id);
	print_identity(port);
	print_link(port);
	print_filters(port);
	print_limits(port);
}

/* ---- show port summary ---- */

void
report_port_summary(const struct port_table *ports, const struct port_set *set)
{
	unsigned int available = 0;

	for (uint16_t i = 0; i < ports->count; i++)
		available += !ports->port[i].is_closed;
	printf("Number of available ports: %u\n", available);
	printf("%-4s %-17s %-12s %-14s %-8s %s\n", "Port", "MAC Address", "Name", "Driver",
			"Status", "Link");
	for (uint16_t i = 0; i < set->count; i++) {
		const struct port *port = set->port[i];
		char name[RTE_ETH_NAME_MAX_LEN] = "";
		struct rte_ether_addr mac = { 0 };
		struct rte_eth_link link = { 0 };

		rte_eth_macaddr_get(port->id, &mac);
		rte_eth_dev_get_name_by_port(port->id, name);
		rte_eth_link_get_nowait(port->id, &link);
		printf("%-4u " RTE_ETHER_ADDR_PRT_FMT " %-12s %-14s %-8s %s\n", port->id,
				RTE_ETHER_ADDR_BYTES(&mac), name, port->info.driver_name,
				link.link_status ? "up" : "down",
				rte_eth_link_speed_to_str(link.link_speed));
	}
}

/* ---- show port rss-hash ---- */

void
report_port_rss(const struct port *port)
{
	uint8_t key[HASH_KEY_MAX];
	struct rte_eth_rss_conf conf = {
		.rss_key = key,
		.rss_key_len = RTE_MIN(port->info.hash_key_size, (uint8_t)sizeof(key)),
	};
	const int ret = rte_eth_dev_rss_hash_conf_get(port->id, &conf);

	if (ret < 0) {
		app_error("port %u: %s does not tell its RSS functions: %s", port->id,
				port->info.driver_name, rte_strerror(-ret));
	} else if (conf.rss_hf == 0) {
		printf("RSS disabled\n");
	} else {
		printf("RSS functions:\n");
		print_rss_fields(conf.rss_hf);
	}
}
