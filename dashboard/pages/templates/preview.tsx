// Preview of a draft: its subject, its HTML in a sandbox, at both widths, and its text.

import { Box, Group, SegmentedControl, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { ForeignFrame, type FrameWidth, WidthChoice } from '../../parts/foreign-frame.tsx'
import { ForeignPre } from '../../parts/foreign-text.tsx'
import { Loading } from '../../parts/loading.tsx'
import type { Noun, Rendered } from './calls.ts'

interface PreviewProps {
  readonly noun: Noun
  readonly rendered: Rendered | undefined
  /** It is not of what is typed now, which cannot be rendered. */
  readonly stale: boolean
}

export function Preview({ noun, rendered, stale }: PreviewProps) {
  const [width, setWidth] = useState<FrameWidth>('desktop')
  const [part, setPart] = useState('html')
  return (
    <Card>
      <Group justify="space-between" mb="sm">
        <Text fw={600} component="h2" fz="md" m={0}>
          Preview
          {stale && (
            <Text span c="dimmed" fz="sm" fw={400}>
              {' '}
              of the last version that could be rendered
            </Text>
          )}
        </Text>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Part"
            value={part}
            onChange={setPart}
            data={[
              { value: 'html', label: 'HTML' },
              { value: 'text', label: 'Text' },
            ]}
          />
          <WidthChoice width={width} onChange={setWidth} />
        </Group>
      </Group>
      {rendered === undefined ? (
        <Loading h={320} />
      ) : (
        <Box opacity={stale ? 0.6 : 1}>
          {noun === 'template' && (
            <Text fz="sm" mb="sm">
              <Text span c="dimmed">
                Subject:{' '}
              </Text>
              <span data-testid="subject">{rendered.subject ?? '(set by each send request)'}</span>
            </Text>
          )}
          {part === 'text' ? (
            <ForeignPre text={rendered.text ?? ''} label="Text of the preview" />
          ) : rendered.html === null ? (
            <Text c="dimmed">No HTML part.</Text>
          ) : (
            <PostedDocument html={rendered.html} width={width} />
          )}
        </Box>
      )}
    </Card>
  )
}

interface PostedDocumentProps {
  readonly html: string
  readonly width: FrameWidth
}

/**
 * The document in a frame of its own each time: the one before is seen until it is there, and none of them is a step
 * in the history of the window.
 */
function PostedDocument({ html, width }: PostedDocumentProps) {
  const [frames, setFrames] = useState<readonly { readonly id: number; readonly html: string }[]>([
    { id: 0, html },
  ])
  const last = frames.at(-1)
  if (last !== undefined && last.html !== html) {
    setFrames([...frames.slice(-1), { id: last.id + 1, html }])
  }
  return (
    <div className="posted-documents">
      {frames.map((frame) => (
        <PostedFrame
          key={frame.id}
          name={`preview-${frame.id}`}
          html={frame.html}
          width={width}
          onLoad={() => setFrames((all) => all.filter(({ id }) => id >= frame.id))}
        />
      ))}
    </div>
  )
}

interface PostedFrameProps extends PostedDocumentProps {
  readonly name: string
  readonly onLoad: () => void
}

/** A form posts the HTML into the frame: its answer has a policy of its own, which no document inside the page has. */
function PostedFrame({ name, html, width, onLoad }: PostedFrameProps) {
  const form = useRef<HTMLFormElement>(null)
  const posted = useRef(false)
  useEffect(() => {
    form.current?.submit()
    posted.current = true
  }, [])
  return (
    <>
      <form ref={form} action="/api/preview" method="post" target={name} hidden>
        <textarea name="html" value={html} readOnly aria-hidden="true" tabIndex={-1} />
      </form>
      <ForeignFrame
        title="Preview"
        name={name}
        width={width}
        onLoad={() => {
          if (posted.current) onLoad()
        }}
      />
    </>
  )
}
