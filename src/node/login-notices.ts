// Mail to users whose login was changed on the command line. The command only accepts the mail; a running node delivers
// the mail later.

import { LoginNotices } from '../access/login-notices.ts'
import { expiryOf } from '../delivery/retry.ts'
import { silentLog } from '../lib/log.ts'
import { PublicUrl } from '../lib/public-url.ts'
import { COMMAND_LINE } from '../model/key-kind.ts'
import type { SendServiceMail } from '../model/service-mail.ts'
import { FairOrder } from '../queue/manager.ts'
import { installationSecret } from '../store/node/secret-facts.ts'
import { WorkspaceCache } from '../store/workspace/workspace-cache.ts'
import { Streams } from '../streams/streams.ts'
import { RequestExpander } from '../submission/expand.ts'
import { ownMail } from '../submission/service-mail.ts'
import { Submission } from '../submission/submit.ts'
import { Templates } from '../templates/templates.ts'
import { WorkerPool } from '../templates/worker-pool.ts'
import type { NodeParts } from './parts.ts'

/** Notifies the user of a change, and waits until the mail is accepted. Does nothing if no domain can send. */
export async function notifyFromCommandLine(
  parts: CommandParts,
  user: Parameters<LoginNotices['tell']>[0],
  change: Parameters<LoginNotices['tell']>[1],
): Promise<void> {
  const { store, clock } = parts
  const notices = new LoginNotices({
    ...{ read: store.read, clock, log: silentLog, send: await mailOfCommandLine(parts) },
    publicUrl: publicUrlOf(parts),
  })
  // A change that was not made in a browser has no address.
  notices.tell(user, change, COMMAND_LINE)
  await notices.stop()
}

type CommandParts = Pick<NodeParts, 'config' | 'store' | 'clock'>

/** Returns the function with which a command sends mail of the service. */
export async function mailOfCommandLine({ config, store, clock }: CommandParts): Promise<SendServiceMail> {
  const secret = await installationSecret(store)
  const workspaceCache = new WorkspaceCache()
  const templates = new Templates(store.read, workspaceCache, new WorkerPool())
  const submission = new Submission({
    startTags: new FairOrder(),
    ...{ store, clock, secret, maxMessageBytes: config.maxMessageBytes },
    expander: new RequestExpander(templates, new Streams(store.read, workspaceCache)),
    expiryMs: expiryOf(config.retrySchedule),
    queue: undefined,
  })
  return ownMail({ store, clock, submission })
}

/** Returns the public URL of the installation as far as the settings tell. */
export function publicUrlOf({ config }: Pick<NodeParts, 'config'>): PublicUrl {
  const publicUrl = new PublicUrl(config.publicUrl, config.hostname)
  const host = config.httpHost.includes(':') ? `[${config.httpHost}]` : config.httpHost
  publicUrl.listensAt(`http://${host}:${config.httpPort}`)
  return publicUrl
}
