// Program of the thread that parses large JSON bodies. A long array is returned in parts, so that no part blocks the
// event loop.

import { once } from 'node:events'
import type { MessagePort } from 'node:worker_threads'
import { Problem } from '../model/problem.ts'
import { becomeBulkThread } from '../threads/bulk-thread.ts'
import { serveJobs } from '../threads/worker-jobs.ts'
import type { BodyJobs, BodyPart } from './body-reader.ts'
import { readJsonBody } from './json-body.ts'
import { packModelNumbers } from './template-numbers.ts'

/** Approximate size in bytes of the text whose values are sent as one part. */
const PART = 512 * 1024

/** Sends the values of an array in parts, and waits for the receipt of each part. */
async function sendParts(
  port: MessagePort,
  values: readonly unknown[],
  bytes: number,
  isPacked: boolean,
): Promise<void> {
  const length = Math.max(1, Math.floor((values.length * PART) / bytes))
  for (let from = 0; from < values.length; from += length) {
    port.postMessage({ values: values.slice(from, from + length), isPacked } satisfies BodyPart)
    await once(port, 'message')
  }
}

const releaseMemory = becomeBulkThread()

serveJobs<BodyJobs>(
  async (_, { bytes, expected, parts }) => {
    try {
      const body = readJsonBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), expected)
      const isPacked = packModelNumbers(body.value)
      if (!Array.isArray(body.value)) return { body, bytes, isPacked }
      await sendParts(parts, body.value, bytes.length, isPacked)
      return { body: { ...body, value: [] }, bytes, isPacked }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const { code, message, errors } = error
      return { problem: { code, message, errors } }
    }
  },
  (result) => {
    // The memory is released after the result was sent.
    setImmediate(releaseMemory)
    // The bytes are transferred back without being copied.
    return 'bytes' in result ? [result.bytes.buffer] : []
  },
)
