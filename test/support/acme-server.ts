// A scripted ACME server (RFC 8555): checks every signature, validates challenge responses, and issues certificates.

import 'reflect-metadata'
import assert from 'node:assert/strict'
import { createHash, createPublicKey, randomBytes, verify, type webcrypto } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import {
  AuthorityKeyIdentifierExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { ACME_IDENTIFIER, signingKeyOf } from '../../src/certificates/x509.ts'
import { certificateFor, testAuthority } from './authority.ts'
import { until } from './test-clock.ts'

/** Ports at which the ACME server validates challenge responses. */
export interface Proved {
  readonly httpPort: number
  readonly httpsPort: number | undefined
}

export interface Fault {
  /** Request in which the fault occurs, such as `newOrder`. */
  readonly at: string
  readonly what: 'refuse' | 'hang' | 'garbage'
}

interface Account {
  readonly jwk: webcrypto.JsonWebKey
  readonly contact: readonly string[]
}

interface Order {
  readonly names: readonly string[]
  /** Time of the order, in milliseconds since the epoch. */
  readonly at: number
  readonly replaces: string | undefined
  readonly proved: Set<string>
  status: string
  certificate?: string
}

interface Signed {
  readonly account: string
  readonly payload: Record<string, unknown> | undefined
}

const DAY_MS = 86_400_000

/** A scripted ACME server; `AcmeServer.start` creates one. */
export class AcmeServer {
  /** Types of the validated challenges, oldest first. */
  readonly proved: string[] = []
  readonly orders: Order[] = []
  readonly accounts = new Map<string, Account>()
  fault: Fault | undefined
  /** Number of requests that got no response. */
  hung = 0
  /** Remaining lifetime of new certificates, in milliseconds. */
  lifeMs = 90 * DAY_MS
  /** Age of a new certificate, in milliseconds. */
  passedMs = 1_000
  /** Suggested renewal window; undefined for a server without renewal information (RFC 9773). */
  window: { readonly start: Date; readonly end: Date } | undefined
  /** Number of requests for the renewal window. */
  windowLooks = 0
  /** Number of further valid nonces that the server refuses. */
  refusedNonces = 0
  proves: Proved | undefined
  /** Host names that get no certificate from the server. */
  readonly refused = new Set<string>()
  /** Text appended to each certificate chain. */
  tail = ''
  /** Clock for the expiry of certificates. */
  now = (): number => Date.now()
  readonly #server: Server
  readonly #nonces = new Set<string>()

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request, response) => {
      this.#answer(request, response).catch((error: Error) => {
        problem(response, 500, 'serverInternal', error.message)
      })
    })
  }

  /** Starts a server with the host name `acme.test`. */
  static async start(): Promise<AcmeServer> {
    const server = new AcmeServer(createServer(await certificateFor(['acme.test'])))
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get base(): string {
    return `https://acme.test:${(this.#server.address() as AddressInfo).port}`
  }

  get directory(): string {
    return `${this.base}/directory`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, step = '', id = '', name = ''] = (request.url ?? '').split('/')
    response.setHeader('replay-nonce', this.#newNonce())
    if (this.fault?.at === step) {
      if (this.fault.what === 'hang') {
        this.hung++
        return
      }
      if (this.fault.what === 'garbage') return void response.writeHead(200, JSON_TYPE).end('<html>')
      return problem(response, 403, 'unauthorized', 'not today')
    }
    if (step === 'directory') return json(response, 200, this.#directory())
    if (step === 'newNonce') return void response.writeHead(204).end()
    if (step === 'renewalInfo') {
      this.windowLooks++
      return json(response, 200, { suggestedWindow: this.window })
    }
    assert.equal(request.method, 'POST')
    assert.equal(request.headers['content-type'], 'application/jose+json')
    const signed = this.#verified(await text(request), `${this.base}${request.url}`, step)
    if (signed === undefined) return problem(response, 400, 'badNonce', 'the nonce is not one of ours')
    const order = this.orders[Number(id)]
    switch (step) {
      case 'newAccount':
        return json(response, 200, { status: 'valid' }, signed.account)
      case 'newOrder':
        return this.#newOrder(response, signed)
      case 'order':
        return json(response, 200, this.#orderDocument(Number(id)))
      case 'authz':
        return json(response, 200, this.#authorization(Number(id), name))
      case 'challenge':
        return this.#prove(response, Number(id), name, signed.account)
      case 'finalize':
        return this.#finalize(response, Number(id), signed)
      case 'certificate':
        return void response
          .writeHead(200, { 'content-type': 'application/pem-certificate-chain' })
          .end(`${order?.certificate}${this.tail}`)
      default:
        return problem(response, 404, 'malformed', 'no such resource')
    }
  }

  #directory(): object {
    const at = (name: string) => ({ [name]: `${this.base}/${name}` })
    const known = { ...at('newNonce'), ...at('newAccount'), ...at('newOrder') }
    return this.window === undefined ? known : { ...known, ...at('renewalInfo') }
  }

  #newNonce(): string {
    const nonce = randomBytes(16).toString('base64url')
    this.#nonces.add(nonce)
    return nonce
  }

  /** Verifies a signed request (RFC 8555 §6). Returns undefined for an unknown nonce; throws for any other error. */
  #verified(body: string, url: string, step: string): Signed | undefined {
    const { protected: head, payload, signature } = JSON.parse(body)
    const protectedHead = JSON.parse(Buffer.from(head, 'base64url').toString())
    assert.deepEqual([protectedHead.alg, protectedHead.url], ['ES256', url])
    const isNew = step === 'newAccount'
    assert.equal(protectedHead.jwk !== undefined, isNew, 'jwk for a new account, else kid')
    const account = isNew ? `${this.base}/account/${thumbprintOf(protectedHead.jwk)}` : protectedHead.kid
    const jwk = isNew ? protectedHead.jwk : this.accounts.get(account)?.jwk
    assert.ok(jwk, 'an account that is known')
    const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${payload}`),
      key,
      Buffer.from(signature, 'base64url'),
    )
    assert.ok(isSigned, 'the signature')
    if (!this.#nonces.delete(protectedHead.nonce) || this.refusedNonces-- > 0) return undefined
    const given = payload === '' ? undefined : JSON.parse(Buffer.from(payload, 'base64url').toString())
    if (isNew) {
      assert.equal(given.termsOfServiceAgreed, true)
      this.accounts.set(account, { jwk, contact: given.contact })
    }
    return { account, payload: given }
  }

  #newOrder(response: ServerResponse, { payload }: Signed): void {
    const { identifiers, replaces } = payload as { identifiers: { value: string }[]; replaces?: string }
    const names = identifiers.map(({ value }) => value)
    this.orders.push({ names, at: this.now(), replaces, status: 'pending', proved: new Set() })
    const id = this.orders.length - 1
    const isRefused = names.some((name) => this.refused.has(name))
    if (isRefused) problem(response, 403, 'rejectedIdentifier', 'not for this name')
    else json(response, 201, this.#orderDocument(id), `${this.base}/order/${id}`)
  }

  #orderDocument(id: number): object {
    const { names, status } = this.orders[id] as Order
    return {
      status,
      identifiers: names.map((value) => ({ type: 'dns', value })),
      authorizations: names.map((name) => `${this.base}/authz/${id}/${name}`),
      finalize: `${this.base}/finalize/${id}`,
      ...(status === 'valid' ? { certificate: `${this.base}/certificate/${id}` } : {}),
    }
  }

  #authorization(id: number, name: string): object {
    const { proved, status } = this.orders[id] as Order
    return {
      status: proved.has(name) ? 'valid' : status === 'invalid' ? 'invalid' : 'pending',
      identifier: { type: 'dns', value: name },
      challenges: ['http-01', 'tls-alpn-01', 'dns-01'].map((type) => ({
        type,
        url: `${this.base}/challenge/${id}/${name}.${type}`,
        token: tokenOf(id, name),
        status: 'pending',
        ...(status === 'invalid' ? { error: { detail: `no answer at ${name}` } } : {}),
      })),
    }
  }

  async #prove(response: ServerResponse, id: number, which: string, account: string): Promise<void> {
    // Waits until the test has set the ports to which the names resolve.
    await until('the names lead somewhere', () => this.proves !== undefined)
    const order = this.orders[id] as Order
    const [, name = '', type = ''] = /^(.*)\.([a-z]+-01|tls-alpn-01)$/.exec(which) ?? []
    const token = tokenOf(id, name)
    const wanted = `${token}.${account.split('/').at(-1)}`
    const holds =
      type === 'http-01' ? await this.#provesHttp(name, token, wanted) : await this.#provesTls(name, wanted)
    if (!holds) order.status = 'invalid'
    else {
      this.proved.push(type)
      order.proved.add(name)
      if (order.names.every((one) => order.proved.has(one))) order.status = 'ready'
    }
    json(response, 200, { status: 'processing' })
  }

  /** Validates an HTTP challenge (RFC 8555 §8.3). */
  async #provesHttp(name: string, token: string, wanted: string): Promise<boolean> {
    const url = `http://127.0.0.1:${this.proves?.httpPort}/.well-known/acme-challenge/${token}`
    const answer = await fetch(url, { headers: { host: name } }).catch(() => undefined)
    return answer?.status === 200 && (await answer.text()) === wanted
  }

  /** Validates a TLS-ALPN challenge (RFC 8737 §3). */
  async #provesTls(name: string, wanted: string): Promise<boolean> {
    if (this.proves?.httpsPort === undefined) return false
    const socket = connect({
      port: this.proves.httpsPort,
      host: '127.0.0.1',
      servername: name,
      ALPNProtocols: ['acme-tls/1'],
      rejectUnauthorized: false,
    })
    const failed = once(socket, 'error').then(() => false)
    const done = once(socket, 'secureConnect').then(() => {
      const shown = new X509Certificate(socket.getPeerCertificate().raw)
      const digest = createHash('sha256').update(wanted).digest('hex')
      const extension = shown.getExtension(ACME_IDENTIFIER)
      const value = Buffer.from(extension?.value ?? new ArrayBuffer(0)).toString('hex')
      const names = shown.getExtension(SubjectAlternativeNameExtension)?.names.items.map((one) => one.value)
      return (
        socket.alpnProtocol === 'acme-tls/1' &&
        extension?.critical === true &&
        value === `0420${digest}` &&
        names?.join() === name
      )
    })
    try {
      return await Promise.race([done, failed])
    } finally {
      socket.destroy()
    }
  }

  async #finalize(response: ServerResponse, id: number, { payload }: Signed): Promise<void> {
    const order = this.orders[id] as Order
    if (order.status !== 'ready') return problem(response, 403, 'orderNotReady', 'prove the names first')
    const request = Buffer.from(String(payload?.csr), 'base64url')
    const parsed = new Pkcs10CertificateRequest(request)
    assert.ok(await parsed.verify(), 'the signature of the request')
    const san = parsed.extensions.find((one) => one instanceof SubjectAlternativeNameExtension)
    const names = san?.names.items.map(({ value }) => value)
    assert.ok(names)
    assert.deepEqual(names, order.names)
    const authority = await testAuthority()
    const issuer = new X509Certificate(authority.cert)
    const leaf = await X509CertificateGenerator.create({
      // TLS uses the real clock, which tests cannot move, so the validity must begin at a real time.
      notBefore: new Date(Date.now() - this.passedMs),
      notAfter: new Date(this.now() + this.lifeMs),
      subject: parsed.subject,
      issuer: issuer.subject,
      publicKey: parsed.publicKey,
      signingKey: await signingKeyOf(authority.key),
      extensions: [
        new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
        await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ],
    })
    order.certificate = `${leaf.toString('pem')}\n${authority.cert}`
    order.status = 'valid'
    json(response, 200, this.#orderDocument(id), `${this.base}/order/${id}`)
  }
}

const tokenOf = (id: number, name: string): string =>
  createHash('sha256').update(`${id} ${name}`).digest('base64url')

const JSON_TYPE = { 'content-type': 'application/json' }

function json(response: ServerResponse, status: number, body: object, location?: string): void {
  response.writeHead(status, { ...JSON_TYPE, ...(location === undefined ? {} : { location }) })
  response.end(JSON.stringify(body))
}

function problem(response: ServerResponse, status: number, type: string, detail: string): void {
  response.writeHead(status, { 'content-type': 'application/problem+json' })
  response.end(JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail, status }))
}

/** Returns the thumbprint of an account key (RFC 7638 §3.2). */
const thumbprintOf = ({ crv, kty, x, y }: webcrypto.JsonWebKey): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
