// Detects problems of the installation, for the home page of its operators.

import type { Read } from '../store/database/store.ts'
import { DOUBT_MS, type Doubt, readRemovalTime } from '../store/node/removal-time.ts'
import type { AccountProblem } from './account-problems.ts'

/** State of the certificate for the TLS ports of a node. */
export interface CertificateFacts {
  /** Expiry of the certificate in milliseconds since the epoch. */
  readonly notAfter: number
  /** Reason why the certificate could not be replaced; undefined if there was no failure. */
  readonly problem: string | undefined
}

export interface InstallationProblem extends Omit<AccountProblem, 'kind'> {
  readonly kind: 'certificate_expiring' | 'clock_ahead'
}

const DAY_MS = 86_400_000
/**
 * Time before the expiry of a certificate at which a warning begins. Large receivers and programs refuse an expired
 * certificate, and an operator needs some days to renew a certificate.
 */
const EXPIRES_SOON_MS = 14 * 86_400_000
const EXPIRES_AT_ONCE_MS = 3 * 86_400_000

/** Returns the problems of the installation; `now` is in milliseconds since the epoch. */
export async function readInstallationProblems(
  read: Read,
  certificate: CertificateFacts,
  now: number,
): Promise<InstallationProblem[]> {
  const { doubt } = (await readRemovalTime(read)) ?? {}
  return [...certificateProblems(certificate, now), ...(doubt === undefined ? [] : [clockProblem(doubt)])]
}

/** Returns the problem of a clock that may be wrong, with the consequences of a wrong clock. */
function clockProblem({ aheadMs, waitedMs }: Doubt): InstallationProblem {
  const days = Math.round(aheadMs / DAY_MS)
  const hours = Math.ceil((DOUBT_MS - waitedMs) / 3_600_000)
  return {
    kind: 'clock_ahead',
    severity: 'error',
    title: `The clock has jumped ahead by ${days} days; old data is not removed for now`,
    what_to_do: `Check NTP and the clocks of each node and of the database. Once the clocks are correct, removal resumes immediately. If the time is correct because the service was off for that long, removal resumes after ${hours} more hours.`,
    link: '/operator',
    wording: 'clock_ahead',
    values: { days, hours },
  }
}

/** Returns the problems of a certificate; `now` is in milliseconds since the epoch. */
export function certificateProblems(
  { notAfter, problem }: CertificateFacts,
  now: number,
): InstallationProblem[] {
  const left = notAfter - now
  if (left > EXPIRES_SOON_MS) return []
  const day = new Date(notAfter).toISOString().slice(0, 10)
  return [
    {
      kind: 'certificate_expiring',
      severity: left < EXPIRES_AT_ONCE_MS ? 'error' : 'warning',
      title:
        left <= 0 ? `The TLS certificate has expired on ${day}` : `The TLS certificate expires on ${day}`,
      what_to_do:
        problem === undefined
          ? 'Renew the certificate: programs that submit mail refuse an expired certificate. See the health page.'
          : `The certificate could not be replaced: ${problem}`,
      link: '/operator',
      wording: `certificate_${left <= 0 ? 'expired' : 'expiring'}${problem === undefined ? '' : '_kept'}`,
      values: { until: new Date(notAfter).toISOString(), problem: problem ?? '' },
    },
  ]
}
