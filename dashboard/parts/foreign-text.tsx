// A long text from a stranger, unchanged, with buttons to copy or download it.

import { Box, Button, Group, Text } from '@mantine/core'
import { tables } from '../texts/en/tables.ts'
import { fill } from '../texts/texts.ts'
import { CopyButton } from './copy-button.tsx'
import { IconDownload } from './icons.tsx'

/** Maximum number of characters that are shown; no window shows more at once. */
const MAX_SHOWN = 200_000

interface ForeignTextProps {
  readonly text: string
  /** Name of the text, such as "source". */
  readonly what: string
  /** The complete text as a file. */
  readonly download?: { readonly href: string; readonly name: string }
}

export function ForeignText({ text, what, download }: ForeignTextProps) {
  const shown = text.slice(0, MAX_SHOWN)
  return (
    <Box>
      <Group gap="xs" mb="sm">
        <CopyButton text={text} what={what} label={tables.copy} />
        {download !== undefined && (
          <Button
            component="a"
            href={download.href}
            download={download.name}
            variant="default"
            size="xs"
            leftSection={<IconDownload size={16} stroke={1.6} />}
          >
            {tables.download}
          </Button>
        )}
      </Group>
      <ForeignPre text={shown} label={what} />
      {shown.length < text.length && (
        <Text fz="sm" c="dimmed" mt="xs">
          {fill(tables.charactersShown, { shown: MAX_SHOWN, all: text.length })}
        </Text>
      )}
    </Box>
  )
}

/** Shows the text alone, without buttons. */
export function ForeignPre({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="foreign-text" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  )
}
