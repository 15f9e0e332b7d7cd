//! Every diagnostic in one table: its code, the type of its data, its default level and, for a flow lint, the functions that find it.
//!
//! One line here registers a diagnostic. The enumeration `Code`, the settings, `--level`, the reference and the check that each code has a
//! page are derived from it, and `registry` gives the data its code. This file is only the table: it depends on nothing.

/// Passes the table to a macro.
macro_rules! diagnostics {
    ($with:ident) => {
        $with! {
            "address-size": AddressSize(rules::address_size::AddressSize), Build;
            "alias": Alias(rules::alias::Alias), Assembler;
            "alignment": Alignment(rules::alignment::AlignmentProblem), Assembler;
            "array-size": ArraySize(rules::array_size::ArraySize), Assembler;
            "asm-access": AsmAccess(rules::asm::Access), Assembler;
            "asm-carry": AsmCarry(rules::asm::Carry), Lint(Warning);
            "asm-clobber": AsmClobber(rules::asm::Clobber), Assembler;
            "asm-constraint": AsmConstraint(rules::asm::Constraint), Assembler;
            "asm-fence": AsmFence(rules::asm::Fence), Lint(Warning);
            "asm-input-written": AsmInputWritten(rules::asm::InputWritten), Lint(Warning);
            "asm-label": AsmLabel(rules::asm::LooseLabel), Lint(Warning);
            "asm-missing-semicolon": AsmMissingSemicolon(rules::asm::MissingSemicolon), Assembler;
            "asm-operand-count": AsmOperandCount(rules::asm::OperandCount), Assembler;
            "asm-operand-index": AsmOperandIndex(rules::asm::OperandIndex), Assembler;
            "asm-operand-modifier": AsmOperandModifier(rules::asm::OperandModifier), Assembler;
            "asm-operand-name": AsmOperandName(rules::asm::OperandName), Assembler;
            "asm-output-read": AsmOutputRead(rules::asm::OutputRead), Lint(Warning);
            "asm-output-unwritten": AsmOutputUnwritten(rules::asm::OutputUnwritten), Lint(Warning);
            "asm-percent": AsmPercent(rules::asm::Percent), Assembler;
            "asm-store": AsmStore(rules::asm::Store), Off(Information);
            "asm-unescaped-name": AsmUnescapedName(rules::asm::UnescapedName), Lint(Hint);
            "asm-unused-operand": AsmUnusedOperand(rules::asm::UnusedOperand), Lint(Hint);
            "asm-volatile": AsmVolatile(rules::asm::Volatile), Lint(Warning);
            "assembler-crash": AssemblerCrash(rules::not_assembled::AssemblerCrash), Lint(Warning);
            "attribute": Attribute(rules::attribute::AttributeProblem), Assembler;
            "branch-target": BranchTarget(rules::branch_target::BranchTarget), Assembler;
            "call-arguments": CallArguments(rules::call_arguments::CallArguments), Assembler;
            "call-sequence": CallSequence(lints::call_sequence::CallSequence), Build => [call_sequence::lint];
            "call-target": CallTarget(rules::call_target::CallTarget), Assembler;
            "constant-expression": ConstantExpression(rules::constant_expression::ConstantExpression), Assembler;
            "constant-memory-limit": ConstantMemoryLimit(rules::constant_memory_limit::ConstantMemoryLimit), Build;
            "constant-overflow": ConstantOverflow(rules::constant_overflow::ConstantOverflow), Assembler;
            "costly-access": CostlyAccess(lints::costly_access::CostlyAccess), Off(Information) => [costly_access::lint];
            "cp-async-wait": CpAsyncWait(lints::cp_async_wait::CpAsyncWait), Lint(Warning) => [cp_async_wait::lint];
            "dead-store": DeadStore(lints::dead_store::DeadStore), Lint(Hint) => [dead_store::find];
            "debug-directive": DebugDirective(rules::debug_directive::DebugDirective), Assembler;
            "declaration-mismatch": DeclarationMismatch(rules::declaration_mismatch::DeclarationMismatch), Assembler;
            "deprecated": Deprecated(rules::deprecated::Deprecated), Lint(Warning);
            "directive-argument": DirectiveArgument(rules::directive_argument::DirectiveArgument), Assembler;
            "directive-conflict": DirectiveConflict(rules::directive_conflict::DirectiveConflict), Assembler;
            "divergent-barrier": DivergentBarrier(lints::divergent_barrier::DivergentBarrier), Lint(Warning) => [divergent_barrier::find];
            "division-by-zero": DivisionByZero(rules::division_by_zero::DivisionByZero), Lint(Warning);
            "duplicate-modifier": DuplicateModifier(rules::duplicate_modifier::DuplicateModifier), Assembler;
            "duplicate-name": DuplicateName(rules::duplicate_name::DuplicateName), Assembler;
            "excess-shift": ExcessShift(rules::excess_shift::ExcessShift), Lint(Warning);
            "guard-predicate": GuardPredicate(rules::guard_predicate::GuardPredicate), Assembler;
            "idle-bound": IdleBound(lints::idle_bound::IdleBound), Lint(Hint) => [idle_bound::lint];
            "ignored-modifier": IgnoredModifier(rules::ignored_modifier::IgnoredModifier), Lint(Warning);
            "illegal-combination": IllegalCombination(rules::illegal_combination::IllegalCombination), Assembler;
            "ineffective-setmaxnreg": IneffectiveSetmaxnreg(lints::ineffective_setmaxnreg::IneffectiveSetmaxnreg), Lint(Hint) => [ineffective_setmaxnreg::lint];
            "initializer": Initializer(rules::initializer::Initializer), Assembler;
            "launch-limit": LaunchLimit(rules::launch_limit::LaunchLimit), Lint(Warning);
            "linkage": Linkage(rules::linkage::Linkage), Assembler;
            "malformed-number": MalformedNumber(rules::malformed_number::MalformedNumber), Assembler;
            "mbarrier-protocol": MbarrierProtocol(lints::mbarrier_protocol::MbarrierProtocol), Lint(Warning) => [mbarrier_protocol::lint];
            "membermask": Membermask(lints::membermask::Membermask), Lint(Warning) => [membermask::find];
            "misaligned-address": MisalignedAddress(rules::misaligned_address::MisalignedAddress), Lint(Warning);
            "misplaced-declaration": MisplacedDeclaration(rules::misplaced_declaration::MisplacedDeclaration), Assembler;
            "misplaced-directive": MisplacedDirective(rules::misplaced_directive::MisplacedDirective), Assembler;
            "misread-value": MisreadValue(rules::misread_value::MisreadValue), Lint(Warning);
            "missing-directive": MissingDirective(rules::missing_directive::MissingDirective), Assembler;
            "missing-exit": MissingExit(lints::missing_exit::MissingExit), Lint(Warning) => [missing_exit::find];
            "missing-modifier": MissingModifier(rules::missing_modifier::MissingModifier), Assembler;
            "mixed-cta-groups": MixedCtaGroups(lints::mixed_cta_groups::MixedCtaGroups), Build => [mixed_cta_groups::lint];
            "modifier-not-allowed": ModifierNotAllowed(rules::modifier_not_allowed::ModifierNotAllowed), Assembler;
            "modifier-order": ModifierOrder(rules::modifier_order::ModifierOrder), Assembler;
            "module-header": ModuleHeader(rules::module_header::ModuleHeader), Assembler;
            "narrow-address": NarrowAddress(rules::narrow_address::NarrowAddress), Build;
            "not-assembled": NotAssembled(rules::not_assembled::NotAssembled), Build;
            "not-portable": NotPortable(rules::not_portable::NotPortable), Off(Information);
            "odd-element": OddElement(rules::odd_element::OddElement), Lint(Warning);
            "operand-count": OperandCount(rules::operand_count::OperandCount), Assembler;
            "operand-kind": OperandKind(rules::operand_kind::OperandKindProblem), Assembler;
            "operand-range": OperandRange(rules::operand_range::OperandRange), Assembler;
            "operand-type": OperandType(rules::operand_type::OperandType), Assembler;
            "out-of-bounds": OutOfBounds(rules::out_of_bounds::OutOfBounds), Lint(Warning);
            "parameter-access": ParameterAccess(rules::parameter_access::ParameterAccess), Assembler;
            "parameter-list": ParameterList(rules::parameter_list::ParameterList), Assembler;
            "parameter-size": ParameterSize(rules::parameter_size::ParameterSize), Assembler;
            "pragma": Pragma(rules::pragma::Pragma), Assembler;
            "project-target": ProjectTarget(rules::project_target::ProjectTarget), Lint(Warning);
            "project-version": ProjectVersion(rules::project_version::ProjectVersion), Lint(Warning);
            "proxy-fence": ProxyFence(lints::proxy_fence::ProxyFence), Lint(Warning) => [proxy_fence::lint];
            "redundant-directive": RedundantDirective(rules::redundant_directive::RedundantDirective), Lint(Warning);
            "removed": Removed(rules::removed::Removed), Assembler;
            "repeated-destination": RepeatedDestination(lints::repeated_destination::RepeatedDestination), Build => [repeated_destination::find];
            "requires-target": RequiresTarget(rules::requires_target::RequiresTarget), Assembler;
            "requires-version": RequiresVersion(rules::requires_version::RequiresVersion), Assembler;
            "reserved-name": ReservedName(rules::reserved_name::ReservedName), Assembler;
            "shared-memory-limit": SharedMemoryLimit(lints::shared_memory_limit::SharedMemoryLimit), Build => [shared_memory_limit::lint];
            "spill-likely": SpillLikely(lints::spill_likely::SpillLikely), Lint(Information) => [spill_likely::lint];
            "state-space": StateSpace(rules::state_space::StateSpace), Assembler;
            "syntax-error": SyntaxError(rules::syntax_error::SyntaxError), Assembler;
            "tensor-memory-allocation": TensorMemoryAllocation(lints::tensor_memory_allocation::TensorMemoryAllocation), Lint(Warning) => [tensor_memory_allocation::lint];
            "truncated-value": TruncatedValue(rules::truncated_value::TruncatedValue), Lint(Warning);
            "unbracketed-address": UnbracketedAddress(rules::unbracketed_address::UnbracketedAddress), Lint(Warning);
            "undeclared-name": UndeclaredName(rules::undeclared_name::UndeclaredName), Assembler;
            "undefined-function": UndefinedFunction(rules::undefined_function::UndefinedFunction), Build;
            "uninitialized-register": UninitializedRegister(lints::uninitialized_register::UninitializedRegister), Lint(Warning) => [uninitialized_register::find, uninitialized_register::find_copies];
            "unknown-directive": UnknownDirective(rules::unknown_directive::UnknownDirective), Assembler;
            "unknown-modifier": UnknownModifier(rules::unknown_modifier::UnknownModifier), Assembler;
            "unknown-opcode": UnknownOpcode(rules::unknown_opcode::UnknownOpcode), Assembler;
            "unknown-pragma": UnknownPragma(rules::unknown_pragma::UnknownPragma), Lint(Warning);
            "unreachable-code": UnreachableCode(lints::unreachable_code::UnreachableCode), Lint(Hint) => [unreachable_code::find];
            "unused-bits": UnusedBits(rules::unused_bits::UnusedBits), Lint(Warning);
            "unused-function": UnusedFunction(lints::unused_function::UnusedFunction), Lint(Hint) => [];
            "unused-label": UnusedLabel(lints::unused_label::UnusedLabel), Lint(Hint) => [unused_label::find];
            "unused-register": UnusedRegister(lints::unused_register::UnusedRegister), Lint(Hint) => [unused_register::find];
            "unusual-modifier-order": UnusualModifierOrder(rules::unusual_modifier_order::UnusualModifierOrder), Lint(Hint);
            "variable-type": VariableType(rules::variable_type::VariableType), Assembler;
            "vector-length": VectorLength(rules::vector_length::VectorLength), Assembler;
            "vector-type": VectorType(rules::vector_type::VectorType), Assembler;
            "wgmma-order": WgmmaOrder(lints::wgmma_order::WgmmaOrder), Lint(Warning) => [wgmma_order::lint];
            "wrong-state-space": WrongStateSpace(lints::wrong_state_space::WrongStateSpace), Lint(Warning) => [wrong_state_space::lint];
        }
    };
}

pub(crate) use diagnostics;
