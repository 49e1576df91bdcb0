// A long text that strangers wrote, as it is, with a way to copy or keep it.

import { Box, Button, Group, Text } from '@mantine/core'
import { tables } from '../texts/en/tables.ts'
import { fill } from '../texts/texts.ts'
import { CopyButton } from './copy-button.tsx'
import { IconDownload } from './icons.tsx'

/** More than this no window shows at once. */
const MAX_SHOWN = 200_000

interface ForeignTextProps {
  readonly text: string
  /** Name of the text: "source". */
  readonly what: string
  /** The whole text as a file. */
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

/** The text alone. */
export function ForeignPre({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled can be scrolled by keyboard
    <section className="foreign-text" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  )
}
