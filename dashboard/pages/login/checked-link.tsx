// Form of a single-use link, which appears after the service has confirmed that the link is still valid.

import type { ReactNode } from 'react'
import { get } from '../../client.ts'
import { useAnswer } from '../../parts/use-call.ts'
import { common } from '../../texts/en/common.ts'
import { Problem } from './fields.tsx'

interface CheckedLinkProps<Answer> {
  /** URL of the endpoint that checks the token. */
  readonly address: string
  readonly token: string
  /** Form, or a function that makes the form from the response of the endpoint. */
  readonly children: ReactNode | ((answer: Answer) => ReactNode)
}

export function CheckedLink<Answer>({ address, token, children }: CheckedLinkProps<Answer>) {
  const { answer, error, again } = useAnswer(async (signal) => {
    return { body: await get<Answer>(address, { token }, signal) }
  })
  if (answer !== undefined) return typeof children === 'function' ? children(answer.body) : children
  return error === null ? common.loading : <Problem error={error} again={again} />
}
