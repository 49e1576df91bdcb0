// A sentence of the service in which commands stand between backticks, each with a button that copies it.

import { Code } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

/** What ends a sentence or a part of it, and stays beside what it ends. */
const MARK = /^[.,;:]/

export function WithCode({ text }: { readonly text: string }) {
  const parts = text.split('`')
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence stay where they are
      <span key={index} className="nowrap-copy">
        <Code>{part}</Code>
        <span>
          <CopyButton text={part} what={part} />
          {MARK.exec(parts[index + 1] ?? '')?.[0]}
        </span>
      </span>
    ) : (
      part.replace(index === 0 ? '' : MARK, '')
    ),
  )
}
