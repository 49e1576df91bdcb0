// The addresses of the sink: connections are limited per address, and real recipient hosts have one address each.

/** Addresses without 127.0.0.1, which relays and proxies use as their target. */
export const SINK_ADDRESSES: readonly string[] = Array.from(
  { length: 100 },
  (_, index) => `127.0.1.${index + 1}`,
)
