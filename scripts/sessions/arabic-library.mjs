// Arabic, written from right to left, with its own punctuation, Latin names and digits inside the text, and one line with every vowel sign.
// The agent ends by handing over to a person. The verse is al-Mutanabbi's (915-965).

const ANSWER = `أهلاً بك! بحثت لك في فهرس المكتبة عن كتب في تاريخ علم الفلك عند العرب، ووجدت أربعة كتب متاحة الآن.

1. «تاريخ النجوم»، الطبعة الثانية، 320 صفحة. متاح بصيغة EPUB ويمكن لقارئ الشاشة قراءته كاملاً.
2. «مدخل إلى الأسطرلاب»، 148 صفحة. متاح كتاباً صوتياً مدته 6.5 ساعات.
3. «مراصد بغداد ومراغة»، وهو كتاب مطبوع في الطابق الثالث، الرف رقم 12.
4. «الصوفي وصور الكواكب»، بطريقة برايل، في ثلاثة أجزاء.

أيّها أبدأ به؟ أنصحك بالكتاب الثاني؛ لأنه قصير وواضح، ولأن صوت القارئ جميل. يمكنك استعارته 21 يوماً، ثم تمديد المدة مرتين. \
تجد شروط الاستعارة في الصفحة https://example.com/ar/loans وهي مختصرة.

قال المتنبي:

أَعَزُّ مَكانٍ في الدُّنى سَرجُ سابِحٍ
وَخَيرُ جَليسٍ في الزَّمانِ كِتابُ

أما المخطوطة التي سألت عنها، ورقمها MS 1047، فلا يُسمح لي بطلبها. سأحوّل طلبك إلى أمينة المكتبة، السيدة ليلى، وهي تعمل حتى الساعة 4:30 مساءً.
`;

export const arabicLibrary = {
  name: "arabic-library",
  seed: 405,
  startedAt: "2026-06-20T10:30:00.125Z",
  producer: { agent_id: "library-assistant", agent_version: "1.0.0", agent_name: "مساعد المكتبة" },
  hints: { primary_language: "ar", text_direction: "rtl", script: "Arab", calendar: "gregory" },
  steps: [
    {
      type: "session.started",
      event: {
        summary_terse: "بدأت.",
        summary_normal: "مساعد المكتبة يبحث لك الآن.",
        summary_detailed: "مساعد المكتبة يبحث لك في الفهرس عن كتب في تاريخ علم الفلك، ثم يكتب لك قائمة بها.",
        expected_duration_ms: 28000,
        requested_by: "user:yusuf",
        request_text: "أريد كتباً في تاريخ علم الفلك عند العرب، والمخطوطة MS 1047.",
        tools_available: ["search_catalogue", "check_formats"],
      },
    },
    {
      after: 200,
      type: "state.changed",
      event: {
        from_state: "idle",
        to_state: "thinking",
        summary_terse: "أفكر.",
        summary_normal: "أفكر في طلبك.",
      },
    },
    {
      after: 3000,
      type: "tool.invoked",
      call: "catalogue",
      event: {
        tool: "search_catalogue",
        args_summary: "الموضوع: تاريخ علم الفلك",
        summary_terse: "أبحث في الفهرس.",
        summary_normal: "أبحث في فهرس المكتبة عن تاريخ علم الفلك.",
        expected_duration_ms: 2500,
        risk_level: "low",
        irreversible: false,
      },
    },
    {
      after: 3600,
      type: "tool.completed",
      call: "catalogue",
      event: {
        tool: "search_catalogue",
        status: "success",
        summary_terse: "أربعة كتب.",
        summary_normal: "وجدت أربعة كتب.",
      },
    },
    {
      after: 300,
      type: "tool.invoked",
      call: "formats",
      event: {
        tool: "check_formats",
        args_summary: "أربعة كتب",
        summary_terse: "أفحص الصيغ.",
        summary_normal: "أفحص الصيغ المتاحة: كتاب صوتي أو برايل أو نص إلكتروني.",
        expected_duration_ms: 4000,
        risk_level: "low",
        irreversible: false,
      },
    },
    {
      after: 2900,
      type: "progress.updated",
      event: {
        progress: { percent: 50, step: 2, total_steps: 4, description: "فحصت كتابين من أربعة" },
        summary_terse: "50 في المئة.",
        summary_normal: "فحصت كتابين من أربعة.",
        eta_ms: 1700,
      },
    },
    {
      after: 2900,
      type: "tool.completed",
      call: "formats",
      event: {
        tool: "check_formats",
        status: "success",
        summary_terse: "تم الفحص.",
        summary_normal: "ثلاثة من الكتب الأربعة متاحة بصيغة تناسبك.",
      },
    },
    {
      after: 80,
      type: "state.changed",
      event: {
        from_state: "calling_tool",
        to_state: "writing_output",
        summary_terse: "أكتب.",
        summary_normal: "أكتب لك قائمة الكتب.",
      },
    },
    {
      after: 820,
      output: {
        text: ANSWER,
        contentType: "text/plain",
        tokensPerSecond: 58,
        pauses: [0.08, 0.45, 0.7],
        endsEmpty: true,
      },
    },
    {
      after: 250,
      type: "state.changed",
      event: {
        from_state: "writing_output",
        to_state: "handing_off",
        urgency: "normal",
        summary_terse: "أحوّل طلبك.",
        summary_normal: "أحوّل طلب المخطوطة إلى أمينة المكتبة.",
      },
    },
    {
      after: 30,
      type: "handoff.requested",
      event: {
        reason: "طلب المخطوطات يحتاج إلى موافقة أمينة المكتبة.",
        target_kind: "human",
        target_uri: "queue://library/manuscripts",
        urgency_for_handoff: "low",
        packaged_context: { manuscript: "MS 1047", tools_invoked: ["search_catalogue", "check_formats"] },
        summary_terse: "تحويل إلى موظفة.",
        summary_normal: "تتولى أمينة المكتبة، السيدة ليلى، طلب المخطوطة MS 1047.",
      },
    },
    {
      after: 3100,
      type: "session.completed",
      event: {
        summary_terse: "انتهيت.",
        summary_normal: "القائمة جاهزة، وطلب المخطوطة عند أمينة المكتبة.",
        summary_detailed:
          "القائمة جاهزة وفيها أربعة كتب، وثلاثة منها بصيغة تناسبك. طلب المخطوطة MS 1047 عند أمينة المكتبة.",
        output_summary: "قائمة بأربعة كتب",
      },
    },
  ],
};
