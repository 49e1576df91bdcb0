// The program of the thread that makes a certificate, and ends with it.

import { parentPort } from 'node:worker_threads'
import type { MakingAnswer, MakingOrder } from './making.ts'
import { makeCertificate, makeChallengeCertificate, makeRequest, renewalIdOf } from './x509.ts'

const WORKS = { makeCertificate, makeChallengeCertificate, makeRequest, renewalIdOf }

async function make({ kind, given }: MakingOrder): Promise<MakingAnswer> {
  try {
    const work = WORKS[kind] as (...values: readonly unknown[]) => unknown
    return { made: await work(...given) }
  } catch (error) {
    return { problem: String(error) }
  }
}

parentPort?.once('message', async (order: MakingOrder) => parentPort?.postMessage(await make(order)))
