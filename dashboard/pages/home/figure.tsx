// One figure of the home page; pressing it shows or hides it in the chart.

import { UnstyledButton } from '@mantine/core'
import type { CSSProperties } from 'react'
import { share, whole as wholeNumber } from '../../parts/numbers.ts'
import type { FigureKind } from './figures.ts'

interface FigureProps extends Omit<FigureKind, 'name' | 'always'> {
  readonly value: number
  readonly of: number
  readonly pressed: boolean
  readonly onToggle: () => void
}

export function Figure({ label, color, value, of, whole = false, pressed, onToggle }: FigureProps) {
  return (
    <UnstyledButton
      className="figure"
      aria-pressed={pressed}
      title={pressed ? `Hide "${label}" in the chart` : `Show "${label}" in the chart`}
      style={{ '--tone': color } as CSSProperties}
      onClick={onToggle}
    >
      <span className="figure-name">{label}</span>
      <span className="figure-value">{wholeNumber(value)}</span>
      {!whole && <span className="figure-share">{share(value, of)}</span>}
    </UnstyledButton>
  )
}
