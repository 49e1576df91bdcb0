// The IP addresses of the sink. The sink has many addresses, because connections are limited per address, and every
// real mail host has its own address.

/** IP addresses of the sink; 127.0.0.1 is left out, because relays and proxies use 127.0.0.1 as their target. */
export const SINK_ADDRESSES: readonly string[] = Array.from(
  { length: 100 },
  (_, index) => `127.0.1.${index + 1}`,
)
