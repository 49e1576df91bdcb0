// A sentence of the service in which commands stand between backticks, each with a button that copies it.

import { Code } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

export function WithCode({ text }: { readonly text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence stay where they are
      <span key={index} className="nowrap-copy">
        <Code>{part}</Code>
        <CopyButton text={part} what={part} />
      </span>
    ) : (
      part
    ),
  )
}
