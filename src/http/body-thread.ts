// The thread that reads large JSON bodies. A long array goes back in parts, so that no part keeps the event loop.

import { once } from 'node:events'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { Problem } from '../model/problem.ts'
import { becomeBulkThread } from '../threads/bulk-thread.ts'
import type { Answer, Question } from './body-reader.ts'
import { type JsonBody, readJsonBody } from './json-body.ts'
import { packModelNumbers } from './template-numbers.ts'

/** Bytes of the text whose values go over at once. */
const PART = 512 * 1024

async function answer(
  port: MessagePort,
  octets: Uint8Array<ArrayBuffer>,
  body: JsonBody,
  isPacked: boolean,
): Promise<void> {
  // The bytes go back as they came, without being copied.
  const say = (message: Answer): void =>
    port.postMessage(message, 'octets' in message ? [message.octets.buffer] : [])
  const { value } = body
  if (!Array.isArray(value)) return say({ body, octets, isPacked })
  const length = Math.max(1, Math.floor((value.length * PART) / octets.length))
  for (let from = 0; from < value.length; from += length) {
    say({ part: value.slice(from, from + length), isPacked })
    await once(port, 'message')
  }
  say({ body: { ...body, value: [] }, octets, isPacked })
}

async function read(port: MessagePort, question: Question): Promise<void> {
  if (!('octets' in question)) return
  const { octets, expected } = question
  try {
    const body = readJsonBody(Buffer.from(octets.buffer, octets.byteOffset, octets.length), expected)
    await answer(port, octets, body, packModelNumbers(body.value))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { code, message, errors } = error
    port.postMessage({ problem: { code, message, errors } } satisfies Answer)
  }
}

/**
 * Answers one question after the other: the next comes when this one has been answered. It waits with nothing in its
 * hands: a suspended function keeps all that it ever had in a variable.
 */
async function serve(port: MessagePort): Promise<never> {
  const giveMemoryBack = becomeBulkThread()
  for (;;) {
    await once(port, 'message').then(([question]) => read(port, question as Question))
    giveMemoryBack()
  }
}

if (parentPort !== null) void serve(parentPort)
