// Copies a text and says so.

import { Button, CopyButton as Copying } from '@mantine/core'
import { tables } from '../texts/en/tables.ts'
import { fill } from '../texts/texts.ts'
import { IconCheck, IconCopy } from './icons.tsx'

interface CopyButtonProps {
  readonly text: string
  /** Name of the copied text for screen readers: "DKIM value". */
  readonly what: string
  /** Words on the button; without them it is a sign only. */
  readonly label?: string
}

export function CopyButton({ text, what, label }: CopyButtonProps) {
  return (
    <Copying value={text} timeout={1500}>
      {({ copied, copy }) => {
        const sign = copied ? <IconCheck size={16} /> : <IconCopy size={16} stroke={1.6} />
        if (label !== undefined) {
          return (
            <Button variant="default" size="xs" leftSection={sign} onClick={copy}>
              {copied ? tables.copied : label}
            </Button>
          )
        }
        return (
          <Button
            variant="subtle"
            size="compact-sm"
            px={6}
            color={copied ? 'green' : 'gray'}
            onClick={copy}
            title={copied ? tables.copied : tables.copy}
            aria-label={fill(copied ? tables.whatCopied : tables.copyWhat, { what })}
          >
            {sign}
          </Button>
        )
      }}
    </Copying>
  )
}
