// A button that copies a text and confirms that it was copied.

import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { tables } from '../texts/en/tables.ts'
import { fill } from '../texts/texts.ts'
import { copyText } from './copy-text.ts'
import { IconCheck, IconCopy } from './icons.tsx'
import { tell } from './tell.ts'

const SAID_MS = 1_500

interface CopyButtonProps {
  readonly text: string
  /** Name of the copied text for screen readers, such as "DKIM value". */
  readonly what: string
  /** Label of the button; a button without a label shows only an icon. */
  readonly label?: string
}

export function CopyButton({ text, what, label }: CopyButtonProps) {
  const [copied, setCopied] = useState(0)
  useEffect(() => {
    if (copied === 0) return undefined
    const timer = setTimeout(() => setCopied(0), SAID_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    if (await copyText(text)) setCopied((times) => times + 1)
    else tell.problem(new Error(tables.notCopied))
  }
  const isCopied = copied > 0
  const sign = isCopied ? <IconCheck size={16} /> : <IconCopy size={16} stroke={1.6} />
  if (label !== undefined) {
    return (
      <Button variant="default" size="xs" leftSection={sign} onClick={copy}>
        {isCopied ? tables.copied : label}
      </Button>
    )
  }
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      px={6}
      color={isCopied ? 'green' : 'gray'}
      onClick={copy}
      title={isCopied ? tables.copied : tables.copy}
      aria-label={fill(isCopied ? tables.whatCopied : tables.copyWhat, { what })}
    >
      {sign}
    </Button>
  )
}
