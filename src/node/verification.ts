// Builds address verification from the settings.

import { TlsSource } from '../certificates/tls-source.ts'
import { ConfigError } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import type { Figure } from '../lib/figures.ts'
import { removalOfOld } from '../lib/leased-runs.ts'
import { RateLimiter } from '../lib/rate-limiter.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import { PlaygroundMailHost } from '../playground/mail-host.ts'
import { steered, steeredDestination } from '../playground/verification-steering.ts'
import { forgetChecks } from '../store/verification/verification-checks.ts'
import { forgetVerifications } from '../store/verification/verifications.ts'
import { AccountVerification } from '../verification/account-verification.ts'
import { AddressLists } from '../verification/address-lists.ts'
import { CheckLog } from '../verification/check-log.ts'
import { DeliveryHistory } from '../verification/delivery-history.ts'
import { type ListWorker, listWorker } from '../verification/list-worker.ts'
import { DomainLists, type OwnLists, readOwnList } from '../verification/lists.ts'
import { Prober } from '../verification/probe.ts'
import { Verifier } from '../verification/verify.ts'
import { type Egress, type EgressParts, startEgress } from './egress.ts'
import type { NodeParts } from './parts.ts'

/** Parts of the node that verification needs. */
export interface VerificationGround extends EgressParts {
  readonly egress: Egress
  /** Rate limiter for probes, by destination. */
  readonly probeLimiter: RateLimiter
  readonly checks: CheckLog
}

/** Starts verification without a node; in the playground, also starts the playground's mail host. */
export async function startVerificationAlone(parts: NodeParts): Promise<AccountVerification> {
  const { config, lifecycle } = parts
  if (config.mode === 'production' || config.dnsServers !== undefined) {
    return startWithEgress({ ...parts, playgroundPort: undefined })
  }
  const { dataDir, hostname: hostName } = config
  const tls = (await TlsSource.open({ dataDir, hostName })).current()
  const mailHost = await lifecycle.start(new PlaygroundMailHost({ ...config, ...parts, tls }))
  return startWithEgress({ ...parts, playgroundPort: mailHost.port })
}

async function startWithEgress(parts: EgressParts): Promise<AccountVerification> {
  const egress = await startEgress(parts)
  const checks = new CheckLog(parts.store, parts.log)
  return startVerification({ ...parts, egress, checks, probeLimiter: new RateLimiter() })
}

/** Starts verification. Throws `ConfigError`. */
export function startVerification(parts: VerificationGround): AccountVerification {
  const { config, store, clock, log, egress, checks, playgroundPort, trace } = parts
  const { sender, ...ownLists } = readVerificationSettings(config)
  const prober = new Prober(egress.attempts, {
    perDestination: config.verifyDestinationConnections,
    rate: config.verifyDestinationRate,
    limiter: parts.probeLimiter,
    sender,
  })
  const knowledge = new DeliveryHistory(store.read, clock, log)
  const steeredBy = playgroundPort === undefined ? () => undefined : steered
  const verifier = new Verifier({
    routes: egress.routes,
    ...(playgroundPort === undefined ? {} : { destinationOf: steeredDestination }),
    clock,
    log,
    prober,
    lists: new DomainLists(ownLists),
    timeoutMs: config.verifyTimeoutMs,
    heard: async (address) => (steeredBy(address) ? undefined : knowledge.heard(address.email)),
  })
  return new AccountVerification({ store, clock, verifier, knowledge, checks, steered: steeredBy, trace })
}

/** Starts the processing of address lists, on nodes that serve the API. */
export async function startAddressLists(
  { config, store, clock, log, node, lifecycle }: NodeParts,
  verification: AccountVerification,
  removalTime: () => Promise<number | undefined>,
): Promise<AddressLists> {
  const perDestination = config.verifyDestinationConnections
  let worker: ListWorker | undefined
  if (config.roles.includes('api')) {
    await lifecycle.start(
      removalOfOld({
        ...{ name: 'lists of addresses', clock, log, removalTime },
        retentionMs: config.verificationRetentionMs,
        steps: [
          (old) => store.write(forgetVerifications, old),
          ({ made, limit }) => store.write(forgetChecks, { before: made, limit }),
        ],
      }),
    )
    worker = await lifecycle.start(listWorker({ store, clock, log, verification, perDestination, node }))
  }
  return new AddressLists({ store, clock, onQueued: () => worker?.wake() })
}

/** Envelope sender of probes, and the operator's own lists of domains. */
export interface VerificationSettings extends OwnLists {
  /** Address of the envelope sender of probes; empty for the null sender. */
  readonly sender: string
}

/**
 * Reads the address of the envelope sender of probes, and the files with the operator's lists of domains; the loader of
 * the settings checks neither the address nor the files. Nodes call this function at the start; commands call this
 * function to check whether a start would succeed. Throws one `ConfigError` with all problems.
 */
export function readVerificationSettings(config: Config): VerificationSettings {
  const problems: string[] = []
  const sender = config.verifySender === '' ? undefined : parseAddress(config.verifySender)
  if (sender !== undefined && !isAddress(sender)) {
    problems.push(`POSTRIDER_VERIFY_SENDER must be an address: it ${sender.problem}`)
  }
  const ownList = (name: string, file: string | undefined): ReadonlySet<string> => {
    try {
      return readOwnList(file)
    } catch (error) {
      problems.push(`${name} cannot be read: ${(error as Error).message}`)
      return new Set()
    }
  }
  const allowed = ownList('POSTRIDER_VERIFY_ALLOW_FILE', config.verifyAllowFile)
  const denied = ownList('POSTRIDER_VERIFY_DENY_FILE', config.verifyDenyFile)
  if (problems.length > 0) throw new ConfigError(problems)
  return { sender: sender !== undefined && isAddress(sender) ? sender.email : '', allowed, denied }
}

/** Returns the metrics of verification. */
export const verificationFigures = (verification: AccountVerification): Figure[] => [
  {
    name: 'postrider_verifications_total',
    help: 'Ended verifications, by internal result',
    kind: 'counter',
    labels: ['internal_result'],
    read: () => verification.ended,
  },
  {
    name: 'postrider_verifications_in_flight',
    help: 'Verifications under way',
    kind: 'gauge',
    read: () => verification.underWay,
  },
]
