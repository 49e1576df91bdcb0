// PROXY headers as load balancers write them.

import { isIPv4 } from 'node:net'

export interface ProxyHeader2 {
  readonly version?: number
  readonly command?: number
  readonly family: number
  readonly transport?: number
  readonly addresses: Buffer
}

/** Version 2; default command PROXY and transport STREAM. */
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

/** Version 1, for a client with this address. */
export const proxyLine = (client: string): string =>
  isIPv4(client) ? `PROXY TCP4 ${client} 10.0.0.1 12345 25\r\n` : `PROXY TCP6 ${client} fd00::1 12345 25\r\n`
