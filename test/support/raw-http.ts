// Sends raw bytes to an HTTP port and reads the response, without a client that would correct the bytes.

import { connect, type Socket } from 'node:net'

/** The parsed response; `status` is 0 if the connection ended without a response. */
export interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Opens a connection; `from` is the local address, which simulates a client of another network. */
export function connectTo(url: string, from?: string): Socket {
  const { hostname, port } = new URL(url)
  return connect({ host: hostname, port: Number(port), noDelay: true, localAddress: from }).on(
    'error',
    () => {},
  )
}

/** Sends bytes on a new connection, and reads the response until the server ends the connection. */
export async function exchangeRaw(url: string, bytes: string): Promise<RawAnswer> {
  const socket = connectTo(url)
  socket.write(bytes)
  return readAnswer(socket)
}

/** Reads one response until the server ends the connection. */
export async function readAnswer(socket: Socket): Promise<RawAnswer> {
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [start = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => {
    const [name = '', ...value] = line.split(': ')
    return [name.toLowerCase(), value.join(': ')] as const
  })
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(start)?.[1] ?? 0),
    headers: new Map(headers),
    body: rest.join('\r\n\r\n'),
  }
}
