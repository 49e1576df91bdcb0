// The workspace cache of a node over a real store, with templates and streams.

import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { Retention } from '../../src/model/retention.ts'
import type { Store } from '../../src/store/database/store.ts'
import { VersionWatch } from '../../src/store/node/version-watch.ts'
import { WorkspaceCache } from '../../src/store/workspace/workspace-cache.ts'
import { StreamEditing } from '../../src/streams/stream-editing.ts'
import { Streams } from '../../src/streams/streams.ts'
import { RequestExpander } from '../../src/submission/expand.ts'
import { type LayoutEditing, layoutEditing } from '../../src/templates/layout-editing.ts'
import { type TemplateEditing, templateEditing } from '../../src/templates/template-editing.ts'
import { Templates } from '../../src/templates/templates.ts'
import { WorkerPool } from '../../src/templates/worker-pool.ts'

const DAY_MS = 86_400_000
const KEPT: Retention = { content: 45 * DAY_MS, transcript: 14 * DAY_MS, record: 400 * DAY_MS }

export interface Workspaces {
  readonly templates: Templates
  readonly expander: RequestExpander
  readonly workers: WorkerPool
  readonly editTemplates: TemplateEditing
  readonly editLayouts: LayoutEditing
  readonly editStreams: StreamEditing
  close(): Promise<void>
}

/** Opens the workspace cache for a store. */
export async function openWorkspaces(store: Store): Promise<Workspaces> {
  const versions = new VersionWatch(store, silentLog)
  await versions.start()
  const workspaceCache = new WorkspaceCache(versions)
  const workers = new WorkerPool()
  const resources = { store, clock: systemClock, workers, workspaceCache }
  const mx = () => ({
    ...{ host: 'mx.sender.test', isPublished: false, policyTarget: 'mail.sender.test' },
    reportAddress: 'reports@rp.sender.test',
  })
  const templates = new Templates(store.read, workspaceCache, workers)
  return {
    templates,
    workers,
    expander: new RequestExpander(templates, new Streams(store.read, workspaceCache)),
    editTemplates: templateEditing(resources),
    editLayouts: layoutEditing(resources),
    editStreams: new StreamEditing(store, systemClock, KEPT, mx, workspaceCache),
    async close() {
      await workers.stop()
      await versions.stop()
    },
  }
}
