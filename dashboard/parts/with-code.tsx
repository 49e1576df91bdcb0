// A sentence with commands between backticks; each command has a button that copies it.

import { Code } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

/** Punctuation that ends a part of a sentence, and that must not wrap to another line alone. */
const MARK = /^[.,;:]/

export function WithCode({ text }: { readonly text: string }) {
  const parts = text.split('`')
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their order
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
