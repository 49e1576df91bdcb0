// The samples that are whole mails in files: what is to be read from each stands in its first line, as JSON.

import { readdirSync, readFileSync } from 'node:fs'
import type { DeliverySample } from './delivery-samples.test-data.ts'
import { ORIGINAL } from './sample-mail.test-data.ts'

const FOLDER = new URL('samples/', import.meta.url)

/** Bounces in the manner of many programs; `{{original}}` stands for the header of the message that came back. */
export const FILE_SAMPLES: readonly DeliverySample[] = readdirSync(FOLDER)
  .sort()
  .map((file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8')
    const end = text.indexOf('\n')
    const mail = text.slice(end + 1).replace('{{original}}', ORIGINAL)
    return { ...JSON.parse(text.slice(0, end)), mail: Buffer.from(mail.replace(/\r?\n/g, '\r\n')) }
  })
