// Names and values below each other, as a list of definitions.

import type { ReactNode } from 'react'

/** `undefined` and `false` leave a line out. */
type Line = readonly [name: string, value: ReactNode] | undefined | false

export function Definitions({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <dl className="definitions">
      {lines.map(
        (line) =>
          line && (
            <div key={line[0]}>
              <dt>{line[0]}</dt>
              <dd>{line[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
