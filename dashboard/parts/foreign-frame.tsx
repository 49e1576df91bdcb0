// A document that strangers wrote, in a frame where nothing runs, nothing is loaded and no link leads anywhere.

import { SegmentedControl, Stack } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { tables } from '../texts/en/tables.ts'

/** `sandbox` without a word: no scripts, no forms, no windows, no origin. The document brings a policy of its own as well. */
const SANDBOX = ''

interface ForeignFrameProps {
  /** Says what is in it, for who cannot see it. */
  readonly title: string
  /** Address of the document. */
  readonly src?: string
  /** The name of the frame, for a form that posts into it. */
  readonly name?: string
  readonly width: FrameWidth
  readonly height?: string
  readonly onLoad?: () => void
}

export type FrameWidth = 'desktop' | 'mobile'

/** Widths of a mail in a usual window and on a telephone, in CSS pixels. */
const WIDTHS: Readonly<Record<FrameWidth, number>> = { desktop: 700, mobile: 375 }

export function ForeignFrame({ title, src, name, width, height = '70vh', onLoad }: ForeignFrameProps) {
  const [room, setRoom] = useState<number>()
  const frame = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    const measure = new ResizeObserver(([entry]) => setRoom(entry?.contentRect.width))
    measure.observe(element)
    return () => measure.disconnect()
  }, [])
  // A mail is laid out at its width whatever room there is, and shown smaller where that is less.
  const scale = room === undefined ? 1 : Math.min(1, room / WIDTHS[width])
  return (
    <div className="foreign-frame">
      <div ref={frame} className="foreign-frame-room" style={{ height }}>
        <iframe
          title={title}
          src={src}
          name={name}
          onLoad={onLoad}
          sandbox={SANDBOX}
          referrerPolicy="no-referrer"
          style={{
            width: WIDTHS[width],
            height: `calc(${height} / ${scale})`,
            transform: `translateX(-50%) scale(${scale})`,
          }}
        />
      </div>
    </div>
  )
}

/** The frame of a document that has an address, with the choice of its width. */
export function ForeignDocument({ title, src }: { readonly title: string; readonly src: string }) {
  const [width, setWidth] = useState<FrameWidth>('desktop')
  return (
    <Stack gap="sm">
      <WidthChoice width={width} onChange={setWidth} />
      <ForeignFrame key={src} title={title} src={src} width={width} />
    </Stack>
  )
}

interface WidthChoiceProps {
  readonly width: FrameWidth
  readonly onChange: (width: FrameWidth) => void
}

export function WidthChoice({ width, onChange }: WidthChoiceProps) {
  return (
    <SegmentedControl
      size="xs"
      w="fit-content"
      aria-label={tables.width}
      value={width}
      onChange={(value) => onChange(value as FrameWidth)}
      data={[
        { value: 'desktop', label: tables.desktop },
        { value: 'mobile', label: tables.mobile },
      ]}
    />
  )
}
