// One step of setting up: its number or that it is done, what it is for, and what can be done now.

import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { IconCheck } from '../../parts/icons.tsx'
import { guide } from '../../texts/en/guide.ts'

interface StepProps {
  readonly number: number
  readonly done: boolean
  readonly title: string
  /** Shown until it is done. */
  readonly hint: string
  /** Beside the title: buttons. */
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

export function Step({ number, done, title, hint, actions, children }: StepProps) {
  return (
    <li className="step" data-done={done || undefined}>
      <span className="step-mark" aria-hidden="true">
        {done ? <IconCheck size={16} /> : number}
      </span>
      <div className="step-title">
        {title}
        {done ? (
          <span className="visually-hidden"> {guide.done}</span>
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
