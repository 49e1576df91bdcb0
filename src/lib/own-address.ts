// Checks whether this machine can send from an IP address.

import { createServer } from 'node:net'

/**
 * Returns the error code of the system for binding to the IP address, such as `EADDRNOTAVAIL`; undefined on success.
 */
export function cannotUse(address: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(0, address, () => server.close(() => resolve(undefined)))
  })
}
