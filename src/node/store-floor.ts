// The lowest floor (layer) of a node: the store, the node name, the clock watch, and the rates shared by all nodes.

import { auditedStore } from '../access/audit.ts'
import { CredentialRates } from '../access/credential-rates.ts'
import { Credentials } from '../access/credentials.ts'
import { claimingStore } from '../api/request-run.ts'
import type { Config } from '../config/settings.ts'
import { addressesOf } from '../health/own-addresses.ts'
import type { Log } from '../lib/log.ts'
import { UnfitSettingsError } from '../model/unfit-settings.ts'
import { NodeHeartbeat } from '../operator/node-heartbeat.ts'
import { RateSharing } from '../operator/rate-sharing.ts'
import { RemovalTime } from '../operator/removal-time.ts'
import { readDurability, TORN, TORN_REMEDY, UNSYNCED, UNSYNCED_REMEDY } from '../store/database/durability.ts'
import type { Read } from '../store/database/store.ts'
import { pointTracking } from '../store/domains/tracking-hosts.ts'
import { ClockWatch } from '../store/node/clock-watch.ts'
import { NodeName, nameOfNode } from '../store/node/node-identity.ts'
import { NodeLeases } from '../store/node/node-leases.ts'
import { holdDataDirectory } from '../store/node/node-lock.ts'
import { openStoreInMode } from '../store/node/open-in-mode.ts'
import { installationSecret } from '../store/node/secret-facts.ts'
import { VersionWatch } from '../store/node/version-watch.ts'
import { retentionOf, trackingTarget } from './domains.ts'
import type { NodeParts } from './parts.ts'
import type { PlacedConfig } from './placement.ts'

/** Parts of a node that exist before its store. */
type Basics = Pick<NodeParts, 'log' | 'clock' | 'lifecycle'> & { readonly config: PlacedConfig }

export type StoreFloor = Awaited<ReturnType<typeof openStoreFloor>>

/** Opens the store and names the node; starts the clock watch, the version watch, and the sharing of rates. */
export async function openStoreFloor(basics: Basics) {
  const { config, log, clock, lifecycle } = basics
  const opened = await openStoreInMode({ ...config, log, migrates: true })
  await lifecycle.start({ name: 'store', stop: () => opened.close() })
  await requireDurable(opened.read, config, log)
  const alone = config.databaseUrl === undefined
  const keepsFiles = alone || config.roles.includes('delivery')
  if (keepsFiles) {
    const release = holdDataDirectory(config.nodeDir)
    await lifecycle.start({ name: 'data directory', stop: release })
  }
  // A node that does not lock its data directory may share the directory with other nodes, and has no permanent name.
  const node = keepsFiles && !alone ? await nameOfNode(config.nodeDir) : new NodeName()
  const versions = await lifecycle.start(new VersionWatch(opened, log))
  const store = auditedStore(claimingStore(opened), versions)
  await lifecycle.start(new NodeLeases(store, node, alone))
  // The heartbeat stops after all parts that write, so that a command that requires all nodes to be stopped still sees
  // this node.
  await lifecycle.start(
    new NodeHeartbeat({
      store,
      clock,
      log,
      node,
      roles: config.roles,
      addresses: addressesOf(config),
      alone,
    }),
  )
  const credentials = await lifecycle.start(new Credentials(store, clock, log, versions))
  const secret = await installationSecret(store)
  // The DNS of the playground returns every record as required, so the tracking records of the playground need no
  // update.
  if (config.mode !== 'playground') await store.write(pointTracking, { target: trackingTarget(config) })
  const clockWatch = await lifecycle.start(new ClockWatch(store.urgentRead, log))
  const sharing = await lifecycle.start(new RateSharing({ store, clock, log, alone }))
  const usualRates = { sending: config.sendingRate, verification: config.verificationRate }
  return {
    ...basics,
    ...{ opened, store, node, versions, credentials, secret, clockWatch, sharing },
    rates: new CredentialRates(clock, usualRates, sharing.limiter('credentials')),
    removalTime: new RemovalTime({ store, clock, log, skew: () => clockWatch.skew }),
    retention: retentionOf(config),
    /** True if this process keeps files in its data directory and holds the lock of the directory. */
    keepsFiles,
  }
}

/** Throws `UnfitSettingsError` in production if the database may lose commits; logs any other lack of durability. */
async function requireDurable(read: Read, config: Config, log: Log): Promise<void> {
  if (config.mode === 'playground') return
  const { isUnsynced = false, isTorn = false } = (await readDurability(read)) ?? {}
  if (isUnsynced && config.allowUnsafeDatabase === 'no')
    throw new UnfitSettingsError(
      'conflict',
      `${UNSYNCED}. ${UNSYNCED_REMEDY} POSTRIDER_ALLOW_UNSAFE_DATABASE=yes starts the node anyway.`,
    )
  if (isUnsynced) log.warn({}, `${UNSYNCED}. ${UNSYNCED_REMEDY}`)
  if (isTorn) log.warn({}, `${TORN}. ${TORN_REMEDY}`)
}
