"""The notice that the bundled script has to carry: its authors' licence asks for it.

The copyright lines are those of the LICENSE files in the npm packages of these names.
"""

from typing import Final

_NOTICE: Final = """/*
Vega, Vega-Lite, Vega-Embed, Vega-Tooltip and their parts, as {renderer} bundles them.

Copyright (c) 2015-2023, University of Washington Interactive Data Lab (Vega)
Copyright (c) 2015, University of Washington Interactive Data Lab (Vega-Lite, Vega-Embed)
Copyright 2016 Interactive Data Lab and contributors (Vega-Tooltip)
Copyright 2010-2026 Mike Bostock (the D3 modules, under the ISC licence)

Redistribution and use in source and binary forms, with or without modification, are permitted
provided that the following conditions are met:

1. Redistributions of source code must retain the above copyright notice, this list of conditions
   and the following disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice, this list of
   conditions and the following disclaimer in the documentation and/or other materials provided
   with the distribution.
3. Neither the name of the copyright holder nor the names of its contributors may be used to
   endorse or promote products derived from this software without specific prior written
   permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR
IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR
CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE,
DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER
IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT
OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
*/
"""


def licence(renderer: str) -> str:
    """Return the notice, as a comment of the script."""
    return _NOTICE.format(renderer=renderer)
