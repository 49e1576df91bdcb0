// The program of a thread that makes one certificate and then ends.

import { serveJobs } from '../threads/worker-jobs.ts'
import type { MakingJobs } from './making.ts'
import { makeCertificate, makeChallengeCertificate, makeRequest, renewalIdOf } from './x509.ts'

const WORKS = { makeCertificate, makeChallengeCertificate, makeRequest, renewalIdOf }

type Work = (...given: readonly unknown[]) => MakingJobs[keyof MakingJobs]['result']

serveJobs<MakingJobs>((kind, given) => (WORKS[kind] as Work)(...given))
