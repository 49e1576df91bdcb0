// Content of a new template or layout without a starter, and sample content for the preview of a layout.

import type { Noun, SaveBody } from './calls.ts'

/** Content of a new template or layout. */
type Content = Omit<SaveBody, 'name' | 'alias'>

/** Content of a new template or layout without a starter, so that the preview shows something at once. */
export const BLANK: Readonly<Record<Noun, Content>> = {
  template: {
    subject: 'Welcome, {{name}}',
    html: '<h1>Welcome, {{name}}</h1>\n<p>Good to have you here.</p>\n',
  },
  layout: {
    html: `<!doctype html>
<html>
  <body style="margin: 0; background: #f4f6f8; font-family: Arial, sans-serif">
    <div style="max-width: 560px; margin: 0 auto; padding: 32px; background: #ffffff">
      {{{ @content }}}
    </div>
  </body>
</html>
`,
    text: '{{{ @content }}}\n',
  },
}

/** Sample content inside a layout, for its preview. */
export const SAMPLE = {
  html: '<h1>A heading</h1><p>The content of the template goes here.</p>',
  text: 'A heading\n\nThe content of the template goes here.\n',
}
