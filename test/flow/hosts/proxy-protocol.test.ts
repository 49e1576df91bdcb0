// The PROXY protocol at every port: clients whose header counts, and connections without a valid header.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { TestApp } from '../../support/app.ts'
import { proxyHeader2, proxyLine } from '../../support/proxy-header.ts'
import { sleep, TestClock, until, untilPassed } from '../../support/test-clock.ts'

const BALANCER = '127.0.0.2'
const STRANGER = '127.0.0.3'
const REQUEST =
  'GET /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer guess\r\nConnection: close\r\n\r\n'

/** A client connection with all bytes that it has received. */
class Client {
  readonly socket: Socket
  text = ''
  isOver = false

  constructor(port: number, from: string) {
    this.socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true })
    this.socket
      .on('error', () => {})
      .on('close', () => {
        this.isOver = true
      })
  }

  /** Records the bytes that arrive on the TCP connection, or on TLS over the connection. */
  keep(stream: Duplex): void {
    stream.on('data', (chunk: Buffer) => {
      this.text += chunk.toString('latin1')
    })
  }

  /** Returns the first line of the response; empty if the connection ended without a response. */
  async firstLine(): Promise<string> {
    await until('a response or the end of the connection', () => this.text.includes('\r\n') || this.isOver)
    return this.text.split('\r\n', 1)[0] ?? ''
  }
}

interface Door {
  readonly name: string
  port(app: TestApp): number
  /** Sends the PROXY header, and the first bytes of the protocol of this port in the same TCP segment. */
  begin(client: Client, header: string | Buffer): void
  readonly served: RegExp
  /** Response to a client above the limit of connections. */
  readonly turnedAway: RegExp
}

const bytesOf = (header: string | Buffer): Buffer => Buffer.from(header as string, 'latin1')

const smtp = (name: string, port: Door['port']): Door => ({
  name,
  port,
  begin(client, header) {
    client.keep(client.socket)
    client.socket.write(header)
  },
  served: /^220 sender\.test/,
  turnedAway: /^421 sender\.test Too many connections/,
})

/**
 * Starts TLS on a connection whose first segment contains a PROXY header before the ClientHello; sends `request` over
 * TLS.
 */
function beginTls(client: Client, header: string | Buffer, request = ''): void {
  let before = bytesOf(header)
  const { socket } = client
  const beneath = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      socket.write(Buffer.concat([before, chunk]), done)
      before = Buffer.alloc(0)
    },
  })
  socket.on('data', (chunk) => beneath.push(chunk)).on('close', () => beneath.destroy())
  const secure = connectTls({ socket: beneath, rejectUnauthorized: false })
  secure.on('error', () => {})
  client.keep(secure)
  secure.write(request)
}

const DOORS: readonly Door[] = [
  smtp('submission', (app) => app.app.smtpPort as number),
  smtp('inbound', (app) => app.app.inboundPort as number),
  {
    name: 'submission with implicit TLS',
    port: (app) => app.app.smtpsPort as number,
    begin: (client, header) => beginTls(client, header),
    served: /^220 sender\.test/,
    turnedAway: /^$/,
  },
  {
    name: 'HTTPS',
    port: (app) => app.app.httpsPort as number,
    begin: (client, header) => beginTls(client, header, REQUEST),
    served: /^HTTP\/1\.1 401/,
    turnedAway: /^HTTP\/1\.1 429/,
  },
  {
    name: 'HTTP',
    port: (app) => Number(new URL(app.app.url).port),
    begin(client, header) {
      client.keep(client.socket)
      client.socket.write(Buffer.concat([bytesOf(header), Buffer.from(REQUEST)]))
    },
    served: /^HTTP\/1\.1 401/,
    turnedAway: /^HTTP\/1\.1 429/,
  },
]

const inet = (client: string): Buffer =>
  proxyHeader2({
    family: 1,
    addresses: Buffer.from([...client.split('.').map(Number), 10, 0, 0, 1, 48, 57, 0, 25]),
  })

describe('behind a load balancer', { concurrency: 1 }, () => {
  let app: TestApp
  const clock = new TestClock(Date.now())
  before(async () => {
    app = await TestApp.start({
      clock,
      env: {
        POSTRIDER_PROXY_PROTOCOL: `${BALANCER}/32, fd00::/8`,
        POSTRIDER_SMTPS_PORT: '0',
        POSTRIDER_HTTPS_PORT: '0',
        // The ACME settings make the HTTPS port read challenges as well.
        POSTRIDER_ACME_EMAIL: 'post@sender.test',
        POSTRIDER_ACME_DIRECTORY: 'https://acme.invalid/directory',
        POSTRIDER_INBOUND_PORT: '0',
        POSTRIDER_SMTP_NETWORK_CONNECTIONS: '2',
        POSTRIDER_INBOUND_NETWORK_CONNECTIONS: '2',
        POSTRIDER_AUTH_FAILURE_RATE: '2/d',
      },
    })
  })
  after(() => app.stop())

  let clients: Client[] = []
  const arrive = (door: Door, header: string | Buffer, from = BALANCER): Client => {
    const client = new Client(door.port(app), from)
    clients.push(client)
    door.begin(client, header)
    return client
  }
  /** Closes all clients, and waits until the node has noticed. */
  const leave = async (): Promise<void> => {
    for (const { socket } of clients) socket.destroy()
    clients = []
    await sleep(20, 'the node notices the closed connections')
  }
  let addresses = 0
  const newAddress = (): string => `203.0.113.${++addresses}`

  for (const door of DOORS) {
    test(`${door.name}: headers of both versions are read, together with the bytes after them`, async () => {
      for (const header of [
        proxyLine(newAddress()),
        proxyLine(`2001:db8:${++addresses}::9`),
        inet(newAddress()),
      ])
        assert.match(await arrive(door, header).firstLine(), door.served)
      await leave()
    })

    test(`${door.name}: a header that arrives byte by byte`, async () => {
      for (const header of [bytesOf(proxyLine(newAddress())), inet(newAddress())]) {
        const client = new Client(door.port(app), BALANCER)
        clients.push(client)
        await once(client.socket, 'connect')
        for (const byte of header.subarray(0, -1)) {
          client.socket.write(Buffer.from([byte]))
          await new Promise((resolve) => setImmediate(resolve))
        }
        door.begin(client, header.subarray(-1))
        assert.match(await client.firstLine(), door.served)
      }
      await leave()
    })

    test(`${door.name}: limits count the address of the client`, async () => {
      for (const [one, same, other] of [
        ['198.51.100.9', '198.51.100.9', '198.51.100.10'],
        ['2001:db8:0:9::1', '2001:db8:0:9::2', '2001:db8:0:a::1'],
      ] as const) {
        assert.match(await arrive(door, proxyLine(one)).firstLine(), door.served)
        assert.match(await arrive(door, proxyLine(same)).firstLine(), door.served)
        assert.match(await arrive(door, proxyLine(one)).firstLine(), door.turnedAway)
        assert.match(await arrive(door, proxyLine(other)).firstLine(), door.served)
        await leave()
        // Failed authentications at all ports count together, so the clock moves beyond their limit.
        clock.advance(2 * 86_400_000)
      }
    })

    test(`${door.name}: a check of the balancer itself is served as the balancer`, async () => {
      const local = proxyHeader2({ command: 0, family: 0, transport: 0, addresses: Buffer.alloc(0) })
      const unix = proxyHeader2({ family: 3, addresses: Buffer.alloc(216) })
      for (const header of [local, 'PROXY UNKNOWN\r\n', unix]) {
        assert.match(await arrive(door, header).firstLine(), door.served)
        await leave()
        clock.advance(86_400_000)
      }
    })

    test(`${door.name}: a balancer without a valid header gets nothing`, async () => {
      for (const header of [
        'QUIT\r\n',
        `PROXY UNKNOWN ${'x'.repeat(100)}\r\n`,
        proxyHeader2({ family: 1, addresses: Buffer.alloc(60_000) }),
        proxyHeader2({ family: 2, addresses: Buffer.alloc(12) }),
      ]) {
        const client = arrive(door, header)
        assert.equal(await client.firstLine(), '')
        assert.ok(client.isOver)
      }
    })

    test(`${door.name}: a header that does not arrive in time ends the connection`, async () => {
      const client = new Client(door.port(app), BALANCER)
      client.keep(client.socket)
      await once(client.socket, 'connect')
      client.socket.write('PROXY TCP4 203.')
      await clock.armed(5_000, 'lib/proxy-protocol.ts')
      clock.advance(4_900)
      assert.equal(client.isOver, false)
      await untilPassed({ by: clock, stepMs: 200 }, 'the connection is closed', () => client.isOver)
      assert.equal(client.text, '')
    })

    test(`${door.name}: a stranger cannot name an address`, async () => {
      const client = arrive(door, proxyLine('192.0.2.77'), STRANGER)
      const line = await client.firstLine()
      assert.match(line, /^(220 |HTTP\/1\.1 400|$)/)
      await until('the client is refused', () => client.isOver || /\r\n(421|500) /.test(client.text))
      await leave()
    })
  }
})
