// The way of a connection into the HTTP server: its PROXY header, its slot, then requests.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ProxyProtocol } from '../lib/proxy-protocol.ts'
import type { Connections } from './connections.ts'

/** Puts PROXY headers and the slots of `connections` before everything that `server` does with a connection. */
export function guardEntrance(server: Server, connections: Connections, proxyProtocol?: ProxyProtocol): void {
  const serving = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const serve = (socket: Socket): void => {
    if (!connections.admit(socket)) return
    for (const listener of serving) listener.call(server, socket)
    // One that was read for its header waits until then.
    socket.resume()
  }
  server.on('connection', (socket: Socket) => {
    if (proxyProtocol === undefined) serve(socket)
    else proxyProtocol.receive(socket, () => serve(socket))
  })
}
