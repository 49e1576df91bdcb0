// Text that breaks between its parts if it is wider than its column: an e-mail address, a host name, a URL.

import { Fragment } from 'react'

interface BreakableProps {
  readonly text: string
  /** Character after which the text may break. */
  readonly after: '@' | '.' | '/'
}

export const Breakable = ({ text, after }: BreakableProps) =>
  text.split(after).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in the text
    <Fragment key={index}>
      {index > 0 && after}
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
