// Names and values, one pair below another.

import type { ReactNode } from 'react'

interface FactsProps {
  /** Pairs of name and value; a pair without a value (undefined, null, false or empty) is left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
}

export function Facts({ facts }: FactsProps) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
        .map(([name, value]) => (
          <FactRow key={name} name={name}>
            {value}
          </FactRow>
        ))}
    </dl>
  )
}

function FactRow({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
