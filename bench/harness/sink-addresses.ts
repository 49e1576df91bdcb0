// The addresses that the sink listens on: connections are limited by address, and strangers' hosts have one each.

/** 127.0.0.1, which a relay or a proxy leads to, is apart from them. */
export const SINK_ADDRESSES: readonly string[] = Array.from(
  { length: 100 },
  (_, index) => `127.0.1.${index + 1}`,
)
