// Checks that run in worker threads: of a message as fields, and of a complete message.

import { decodeWords } from '../mime/encoded-word.ts'
import { readContent } from '../mime/read-content.ts'
import type { Finding } from '../model/finding.ts'
import { checkMail } from './check-mail.ts'
import type { CheckedMail, CheckJob } from './checked-mail.ts'

/** Sizes of the parts of a message in bytes. */
export interface PartSizes {
  readonly html: number
  readonly text: number
  readonly message: number
  readonly images: number
}

export interface CheckResult {
  readonly findings: readonly Finding[]
  readonly sizes: PartSizes
  /** The message as it was read. */
  readonly mail: CheckedMail
}

/** Complete message to check. */
export interface RawCheckJob extends Omit<CheckJob, 'mail'> {
  readonly raw: Uint8Array
  /** Sender and recipients of the envelope; undefined for those of the header. */
  readonly envelope?: Pick<CheckedMail, 'from' | 'recipients'> | undefined
}

/** Input and result of each kind of job. */
export interface CheckJobs {
  checkMail: { readonly job: CheckJob; readonly result: readonly Finding[] }
  checkRaw: { readonly job: RawCheckJob; readonly result: CheckResult }
}

/** Runs a check. */
export function runCheck(
  kind: keyof CheckJobs,
  job: CheckJobs[keyof CheckJobs]['job'],
): readonly Finding[] | Promise<CheckResult> {
  return kind === 'checkRaw' ? checkRaw(job as RawCheckJob) : checkMail(job as CheckJob)
}

async function checkRaw({ raw, envelope = {}, ...job }: RawCheckJob): Promise<CheckResult> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.length)
  const mail = { ...(await mailOf(bytes)), ...envelope }
  return { findings: checkMail({ ...job, mail }), sizes: sizesOf(mail), mail }
}

/** Returns the fields and the bodies of a complete message. */
export async function mailOf(raw: Buffer): Promise<CheckedMail> {
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

/** Returns the sizes of the parts of a message. */
export function sizesOf({ html = '', text = '', size = 0, attachments = [] }: CheckedMail): PartSizes {
  const images = attachments.filter(({ contentType }) => contentType.startsWith('image/'))
  return {
    html: Buffer.byteLength(html),
    text: Buffer.byteLength(text),
    message: size,
    images: images.reduce((sum, one) => sum + one.size, 0),
  }
}
