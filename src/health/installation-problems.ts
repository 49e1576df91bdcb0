// Rules of what is wrong with the installation, for the home page of its operators.

import type { AccountProblem } from './account-problems.ts'

/** The certificate of a node's TLS ports. */
export interface CertificateFacts {
  /** Milliseconds since the epoch. */
  readonly notAfter: number
  /** Reason why it was not replaced; undefined when nothing stands in the way. */
  readonly problem: string | undefined
}

export interface InstallationProblem extends Omit<AccountProblem, 'kind'> {
  readonly kind: 'certificate_expiring'
}

/** Large receivers and programs refuse an expired certificate; an operator needs some days to renew it. */
const EXPIRES_SOON_MS = 14 * 86_400_000
const EXPIRES_AT_ONCE_MS = 3 * 86_400_000

/** Problems of the installation. `now` in milliseconds since the epoch. */
export function installationProblems(
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
          ? 'Renew it: programs that hand mail over refuse an expired one. The health page says more.'
          : `It could not be replaced: ${problem}`,
      link: '/operator/health',
    },
  ]
}
