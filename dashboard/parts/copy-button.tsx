// Copies a text and says so.

import { ActionIcon, Button, CopyButton as Copying, Tooltip } from '@mantine/core'
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
          <Tooltip label={copied ? tables.copied : tables.copy}>
            <ActionIcon
              variant="subtle"
              color={copied ? 'green' : 'gray'}
              onClick={copy}
              aria-label={fill(copied ? tables.whatCopied : tables.copyWhat, { what })}
            >
              {sign}
            </ActionIcon>
          </Tooltip>
        )
      }}
    </Copying>
  )
}
