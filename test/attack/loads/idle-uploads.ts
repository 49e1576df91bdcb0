// Uploads that announce a body, send one byte of the body and then wait; each upload that ends is started again.

import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerAttack } from '../load.ts'

export interface IdleUploads {
  readonly url: string
  readonly path: string
  /** API key of the uploads; undefined for unauthenticated uploads. */
  readonly key?: string
  /** Content-Length of each upload, in bytes. */
  readonly lengths: readonly number[]
  readonly forMs: number
}

answerAttack<IdleUploads>(async ({ url, path, key, lengths, forMs }, answers) => {
  const { hostname, port, origin } = new URL(url)
  const open = new Set<Socket>()
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`
  let over = false
  const upload = (length: number): void => {
    const socket = connect({ host: hostname, port: Number(port) })
    open.add(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      const status = /HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1]
      if (status !== undefined) answers.count(status)
      socket.destroy()
    })
    socket.on('close', () => {
      open.delete(socket)
      if (!over) setTimeout(upload, 100, length)
    })
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nOrigin: ${origin}\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`,
    )
  }
  for (const length of lengths) upload(length)
  await sleep(forMs)
  over = true
  for (const socket of open) socket.destroy()
})
