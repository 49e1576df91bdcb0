// A setup step: its number or a check mark, its purpose, and its actions.

import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { IconCheck } from '../../parts/icons.tsx'
import { guide } from '../../texts/en/guide.ts'

interface StepProps {
  readonly number: number
  readonly done: boolean
  /** True if the step is done, with warnings below it. */
  readonly warned?: boolean
  readonly title: string
  /** Hint that is shown until the step is done. */
  readonly hint: string
  /** Buttons next to the title. */
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

export function Step({ number, done, warned = false, title, hint, actions, children }: StepProps) {
  return (
    <li className="step" data-done={done || undefined} data-warned={(done && warned) || undefined}>
      <span className="step-mark" aria-hidden="true">
        {done ? <IconCheck size={16} /> : number}
      </span>
      <div className="step-title">
        {title}
        {done ? (
          <span className="visually-hidden"> {warned ? guide.doneWarned : guide.done}</span>
        ) : (
          <Text fz="sm" c="dimmed">
            {hint}
          </Text>
        )}
      </div>
      {actions}
      {children !== undefined && <div className="step-more">{children}</div>}
    </li>
  )
}
