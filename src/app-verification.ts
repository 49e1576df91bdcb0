// Verification put together: from settings to its running parts.

import { isIPv6 } from 'node:net'
import type { Ground } from './app-ground.ts'
import type { Config } from './config.ts'
import { createResolver } from './dns/resolver.ts'
import { parseNetworks } from './dns/special-use.ts'
import type { Figure } from './lib/figures.ts'
import { ConfigError } from './load-config.ts'
import { isAddress, parseAddress } from './model/address.ts'
import { PlaygroundMailHost } from './playground/mail-host.ts'
import { createPlaygroundResolver } from './playground/resolver.ts'
import { PLAYGROUND_ADDRESSES, steered, steeredDestination } from './playground/verification-steering.ts'
import type { Sources } from './smtp/dial.ts'
import { TlsSource } from './smtpd/certificate.ts'
import { findRecordsByName } from './store/domains.ts'
import { AccountVerification } from './verification/account-verification.ts'
import { AddressLists } from './verification/address-lists.ts'
import { ListWorker } from './verification/list-worker.ts'
import { DomainLists, readOwnList } from './verification/lists.ts'
import { OwnKnowledge } from './verification/own-knowledge.ts'
import { Prober } from './verification/probe.ts'
import { ProbeSessions } from './verification/sessions.ts'
import { Verifier, type VerifierOptions } from './verification/verify.ts'

/** What verification stands on. */
export interface VerificationGround extends Ground {
  /** Where the built-in mail host listens that everything goes to; undefined without one. */
  readonly playgroundPort: number | undefined
}

/** One c-ares query is repeated once; what takes longer would use up the time for the mail hosts. */
const DNS = { timeoutMs: 2_000, tries: 2, cache: { maxEntries: 20_000 } }

/** Starts what verifying needs where no node runs: in the playground, its mail host as well. */
export async function startVerificationAlone(ground: Ground): Promise<AccountVerification> {
  const { config, lifecycle } = ground
  if (config.mode === 'production' || config.dnsServers !== undefined) {
    return startVerification({ ...ground, playgroundPort: undefined })
  }
  const { dataDir, hostname: hostName } = config
  const tls = (await TlsSource.open({ dataDir, hostName })).current()
  const mailHost = await lifecycle.start(new PlaygroundMailHost({ ...config, ...ground, tls }))
  return startVerification({ ...ground, playgroundPort: mailHost.port })
}

/** Starts what verifying needs. */
export async function startVerification(ground: VerificationGround): Promise<AccountVerification> {
  const { config, store, clock, log, lifecycle, playgroundPort } = ground
  const sessions = await lifecycle.start(
    new ProbeSessions({
      clock,
      port: playgroundPort ?? config.mxPort,
      heloName: config.hostname,
      sources: sourcesOf(config),
      sender: readSender(config.verifySender),
      perAddress: config.verifyMxConnections,
      total: config.verifyConnections,
    }),
  )
  const prober = new Prober(sessions, clock, {
    perDestination: config.verifyDestinationConnections,
    rate: config.verifyDestinationRate,
  })
  const knowledge = new OwnKnowledge(store.read, clock, log)
  const steeredBy = playgroundPort === undefined ? () => undefined : steered
  const verifier = new Verifier({
    ...networkOf(ground),
    clock,
    log,
    prober,
    lists: new DomainLists({
      allowed: ownList('POSTRIDER_VERIFY_ALLOW_FILE', config.verifyAllowFile),
      denied: ownList('POSTRIDER_VERIFY_DENY_FILE', config.verifyDenyFile),
    }),
    timeoutMs: config.verifyTimeoutMs,
    heard: async (address) => (steeredBy(address) ? undefined : knowledge.heard(address.email)),
  })
  return new AccountVerification({ store, clock, verifier, knowledge, steered: steeredBy })
}

/** Starts working on lists of addresses, on nodes that serve the API. */
export async function startAddressLists(
  { config, store, clock, log, lifecycle }: VerificationGround,
  verification: AccountVerification,
): Promise<AddressLists> {
  const perDestination = config.verifyDestinationConnections
  const alone = config.databaseUrl === undefined
  const worker = config.roles.includes('api')
    ? await lifecycle.start(new ListWorker({ store, clock, log, verification, perDestination, alone }))
    : undefined
  return new AddressLists({ store, clock, onQueued: () => worker?.poke() })
}

type Network = Pick<VerifierOptions, 'resolver' | 'allowed' | 'destinationOf'>

/** Which DNS is asked, and which hosts may be. */
function networkOf({ config, store, clock, playgroundPort }: VerificationGround): Network {
  if (playgroundPort === undefined) {
    return {
      resolver: createResolver({ ...DNS, servers: config.dnsServers, clock }),
      allowed: parseNetworks(config.allowPrivateNetworks.join(',')),
    }
  }
  return {
    resolver: createPlaygroundResolver((name) => findRecordsByName(store.read, name)),
    allowed: parseNetworks(PLAYGROUND_ADDRESSES),
    destinationOf: steeredDestination,
  }
}

function readSender(text: string): string {
  if (text === '') return ''
  const sender = parseAddress(text)
  if (isAddress(sender)) return sender.email
  throw new ConfigError([`POSTRIDER_VERIFY_SENDER must be an address: it ${sender.problem}.`])
}

/** Always the same addresses: a greylist knows who came before by them. */
function sourcesOf({ verifySourcePool: name, sourceAddresses }: Config): Sources | undefined {
  if (name === undefined) return undefined
  const pool = sourceAddresses.find((one) => one.name === name)
  if (pool === undefined) {
    throw new ConfigError([
      `POSTRIDER_VERIFY_SOURCE_POOL must be a pool of POSTRIDER_SOURCE_ADDRESSES; there is no ${name}`,
    ])
  }
  return {
    ipv4: pool.addresses.find(({ address }) => !isIPv6(address)),
    ipv6: pool.addresses.find(({ address }) => isIPv6(address)),
  }
}

function ownList(name: string, file: string | undefined): ReadonlySet<string> {
  try {
    return readOwnList(file)
  } catch (error) {
    throw new ConfigError([`${name} cannot be read: ${(error as Error).message}`])
  }
}

/** The figures of verification. */
export const verificationFigures = (verification: AccountVerification): Figure[] => [
  {
    name: 'postrider_verifications_total',
    help: 'Verifications that ended, by internal result',
    kind: 'counter',
    label: 'internal_result',
    read: () => verification.ended,
  },
  {
    name: 'postrider_verifications_in_flight',
    help: 'Verifications that somebody waits for',
    kind: 'gauge',
    read: () => verification.underWay,
  },
]
