// Form of a single-use link, which appears after the service has confirmed that the link is still valid.

import type { ReactNode } from 'react'
import { get } from '../../client.ts'
import { useAnswer } from '../../parts/use-call.ts'
import { common } from '../../texts/en/common.ts'
import { Problem } from './fields.tsx'

interface CheckedLinkProps {
  /** URL of the endpoint that checks the token. */
  readonly address: string
  readonly token: string
  readonly children: ReactNode
}

export function CheckedLink({ address, token, children }: CheckedLinkProps) {
  const { answer, error, again } = useAnswer(async (signal) => {
    await get(address, { token }, signal)
    return true
  })
  if (answer !== undefined) return children
  return error === null ? common.loading : <Problem error={error} again={again} />
}
