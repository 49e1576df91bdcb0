// PROXY protocol headers as load balancers send them.

import { isIPv4 } from 'node:net'

export interface ProxyHeader2 {
  readonly version?: number
  readonly command?: number
  readonly family: number
  readonly transport?: number
  readonly addresses: Buffer
}

/** Returns a header of version 2, with the command PROXY and the transport STREAM by default. */
export function proxyHeader2({
  version = 2,
  command = 1,
  family,
  transport = 1,
  addresses,
}: ProxyHeader2): Buffer {
  const fixed = Buffer.from('\r\n\r\n\0\r\nQUIT\n....', 'latin1')
  fixed[12] = (version << 4) | command
  fixed[13] = (family << 4) | transport
  fixed.writeUInt16BE(addresses.length, 14)
  return Buffer.concat([fixed, addresses])
}

/** Returns a header of version 1 for a client with this IP address. */
export const proxyLine = (client: string): string =>
  isIPv4(client) ? `PROXY TCP4 ${client} 10.0.0.1 12345 25\r\n` : `PROXY TCP6 ${client} fd00::1 12345 25\r\n`
