// Preview of a draft: subject, HTML in a sandbox at both widths, text, and the findings of the checks.

import { Group, SegmentedControl, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { type Finding, FindingList } from '../../parts/finding-list.tsx'
import { ForeignFrame, type FrameWidth, useFrameWidth, WidthChoice } from '../../parts/foreign-frame.tsx'
import { ForeignPre } from '../../parts/foreign-text.tsx'
import { Loading } from '../../parts/loading.tsx'
import { templates } from '../../texts/en/templates.ts'
import { fill, parts } from '../../texts/texts.ts'
import type { Noun, Rendered } from './calls.ts'

const words = templates.preview

interface PreviewProps {
  readonly noun: Noun
  readonly rendered: Rendered | undefined
  /** True if the preview shows an earlier draft, because the present draft cannot be rendered. */
  readonly stale: boolean
  /** Findings of the check; undefined if the user may not check messages. */
  readonly findings?: readonly Finding[] | undefined
}

export function Preview({ noun, rendered, stale, findings }: PreviewProps) {
  const { ref, width, choose } = useFrameWidth()
  const [part, setPart] = useState('html')
  return (
    <Card>
      <Group justify="space-between" mb="sm" ref={ref}>
        <Text fw={600} component="h2" fz="md" m={0}>
          {words.title}
          {stale && rendered !== undefined && (
            <Text span c="dimmed" fz="sm" fw={400}>
              {' '}
              {words.stale}
            </Text>
          )}
        </Text>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={words.part}
            value={part}
            onChange={setPart}
            data={[
              { value: 'html', label: templates.fields.html },
              { value: 'text', label: templates.fields.text },
              ...(findings === undefined
                ? []
                : [
                    {
                      value: 'checks',
                      label:
                        findings.length === 0
                          ? words.checks
                          : fill(words.checksCount, { count: findings.length }),
                    },
                  ]),
            ]}
          />
          <WidthChoice width={width} onChange={choose} />
        </Group>
      </Group>
      {rendered === undefined ? (
        // The page explains elsewhere why a draft cannot be rendered.
        !stale && <Loading h={320} />
      ) : (
        <>
          {noun === 'template' && (
            <Text fz="sm" mb="sm">
              {parts(words.subject, {
                subject: (
                  <span key="subject" data-testid="subject">
                    {rendered.subject ?? words.noSubject}
                  </span>
                ),
              })}
            </Text>
          )}
          {part === 'checks' && findings !== undefined ? (
            <FindingList findings={findings} />
          ) : part === 'text' ? (
            <ForeignPre text={rendered.text ?? ''} label={words.textLabel} />
          ) : rendered.html === null ? (
            <Text c="dimmed">{words.noHtml}</Text>
          ) : (
            <PostedDocument html={rendered.html} width={width} />
          )}
        </>
      )}
    </Card>
  )
}

interface PostedDocumentProps {
  readonly html: string
  readonly width: FrameWidth
}

/**
 * Shows each document in a new frame: the previous frame stays visible until the next is loaded, and no frame adds an
 * entry to the history of the window.
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

/**
 * Posts the HTML into the frame by a form, because the response has a separate content security policy, which a
 * document inside the page cannot have.
 */
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
        title={words.title}
        name={name}
        width={width}
        height="var(--preview-height, 70vh)"
        onLoad={() => {
          if (posted.current) onLoad()
        }}
      />
    </>
  )
}
