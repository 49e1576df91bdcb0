// The program of the worker threads of a node that checks messages: template jobs, checks of messages, and thumbnails of
// images. A thread loads the rules with its first check.

import type { Finding } from '../model/finding.ts'
import { loadConversion } from '../templates/html-conversion.ts'
import { JobRunner, type Jobs } from '../templates/jobs.ts'
import { collectingBeyond } from '../threads/bulk-thread.ts'
import { serveJobs } from '../threads/worker-jobs.ts'
import type { CheckedMail, CheckJob } from './checked-mail.ts'
import type { HtmlSupport } from './html-support.ts'

interface CheckResult {
  readonly findings: readonly Finding[]
  /** The message as it was read. */
  readonly mail: CheckedMail
}

/** Complete message to check. */
interface RawCheckJob extends Omit<CheckJob, 'mail'> {
  readonly raw: Uint8Array
}

/** Input and result of each kind of check. */
export interface CheckJobs {
  checkMail: { readonly job: CheckJob; readonly result: readonly Finding[] }
  checkRaw: { readonly job: RawCheckJob; readonly result: CheckResult }
  htmlSupport: { readonly job: { readonly raw: Uint8Array }; readonly result: HtmlSupport | undefined }
  /** Makes a JPEG of an image; the job has the bytes of the file. */
  thumbnail: { readonly job: Uint8Array; readonly result: Uint8Array }
}

/** Garbage that triggers a collection, in bytes: rendering a megabyte leaves several megabytes of garbage. */
const MAX_GARBAGE = 8 * 1024 * 1024

const runner = new JobRunner(await loadConversion())
const collectGarbage = collectingBeyond(MAX_GARBAGE)

serveJobs<Jobs & CheckJobs>(
  async (kind, job) => {
    if (kind === 'checkRaw') return checkRaw(job as RawCheckJob)
    if (kind === 'htmlSupport') return supportOf((job as CheckJobs['htmlSupport']['job']).raw)
    if (kind === 'thumbnail') return (await import('../mime/thumbnail.ts')).thumbnail(job as Uint8Array)
    if (kind !== 'checkMail') return runner.run(kind, job as Jobs[keyof Jobs]['job'])
    const { checkMail } = await import('./check-mail.ts')
    return checkMail(job as CheckJob)
  },
  () => {
    collectGarbage()
    return []
  },
)

async function checkRaw({ raw, ...job }: RawCheckJob): Promise<CheckResult> {
  const { checkMail } = await import('./check-mail.ts')
  const mail = await mailOf(Buffer.from(raw.buffer, raw.byteOffset, raw.length))
  return { findings: checkMail({ ...job, mail }), mail }
}

async function supportOf(raw: Uint8Array): Promise<HtmlSupport | undefined> {
  const [{ htmlSupport }, { readContent }] = await Promise.all([
    import('./html-support.ts'),
    import('../mime/read-content.ts'),
  ])
  const { html } = await readContent(Buffer.from(raw.buffer, raw.byteOffset, raw.length))
  return html === undefined ? undefined : htmlSupport(html)
}

/** Returns the fields and the bodies of a complete message. */
async function mailOf(raw: Buffer): Promise<CheckedMail> {
  const [{ decodeWords }, { readContent }] = await Promise.all([
    import('../mime/encoded-word.ts'),
    import('../mime/read-content.ts'),
  ])
  const { subject, from, to, cc, html, text, headers, attachments } = await readContent(raw)
  const [sender] = from
  return {
    ...{ subject, html, text, headers, size: raw.length },
    from: sender?.address,
    fromName: decodeWords(sender?.name ?? ''),
    recipients: [...named('to', to), ...named('cc', cc)],
    attachments: attachments.map(({ contentType, size }, index) => ({
      ...{ path: `attachments[${index}]`, contentType, size },
    })),
  }
}

const named = (field: string, list: readonly { readonly address: string }[]) =>
  list.map(({ address }, index) => ({ path: `${field}[${index}].email`, email: address }))
