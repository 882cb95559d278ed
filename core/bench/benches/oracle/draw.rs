//! Fragment shaders on the driver: one triangle over the whole frame, a floating or integer image for each colour.

use super::device::{Device, Dispatch, Failure, Made, says};
use ash::vk;
use std::collections::BTreeMap;
use vitrine_core::spirv::{AsmOptions, assemble};

/// Three vertices around the frame, by their number.
const VERTEX: &str = "
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %index %position
OpDecorate %index BuiltIn VertexIndex
OpDecorate %position BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v4float = OpTypeVector %float 4
%in = OpTypePointer Input %int
%out = OpTypePointer Output %v4float
%index = OpVariable %in Input
%position = OpVariable %out Output
%one = OpConstant %int 1
%two = OpConstant %int 2
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f4 = OpConstant %float 4
%main = OpFunction %void None %fn
%start = OpLabel
%i = OpLoad %int %index
%right = OpBitwiseAnd %int %i %one
%below = OpShiftRightArithmetic %int %i %one
%rf = OpConvertSToF %float %right
%bf = OpConvertSToF %float %below
%x4 = OpFMul %float %rf %f4
%y4 = OpFMul %float %bf %f4
%x = OpFSub %float %x4 %f1
%y = OpFSub %float %y4 %f1
%at = OpCompositeConstruct %v4float %x %y %f0 %f1
OpStore %position %at
OpReturn
OpFunctionEnd
";

impl Device {
    /// Draws; the words of each colour's pixels. What is not drawn is zero.
    pub(super) unsafe fn draw(
        &self,
        dispatch: &Dispatch<'_>,
        [width, height]: [u32; 2],
        colours: &[(u32, vk::Format)],
        sets: &[vk::DescriptorSet],
        made: &mut Made<'_>,
    ) -> Failure<BTreeMap<u32, Vec<u32>>> {
        let extent = vk::Extent2D { width, height };
        // SAFETY: as for `run`.
        unsafe {
            let images = colours.iter().map(|&(_, format)| self.image(format, extent, made));
            let images: Vec<vk::Image> = images.collect::<Failure<_>>()?;
            self.pass(colours, extent, made)?;
            self.pipeline(dispatch, colours, extent, made)?;
            let bytes = vec![0; (width * height * 16) as usize];
            let usage = vk::BufferUsageFlags::TRANSFER_DST;
            let copies =
                colours.iter().map(|_| self.fill(&bytes, usage, made)).collect::<Failure<Vec<_>>>()?;
            let clear = vec![vk::ClearValue::default(); colours.len()];
            let begin = vk::RenderPassBeginInfo::default()
                .render_pass(made.pass)
                .framebuffer(made.frame)
                .render_area(extent.into())
                .clear_values(&clear);
            let region = vk::BufferImageCopy::default()
                .image_subresource(
                    vk::ImageSubresourceLayers::default()
                        .aspect_mask(vk::ImageAspectFlags::COLOR)
                        .layer_count(1),
                )
                .image_extent(extent.into());
            self.submit(|list| {
                self.device.cmd_begin_render_pass(list, &begin, vk::SubpassContents::INLINE);
                self.bound(list, vk::PipelineBindPoint::GRAPHICS, dispatch, sets, made);
                self.device.cmd_draw(list, 3, 1, 0, 0);
                self.device.cmd_end_render_pass(list);
                let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
                for (&image, copy) in images.iter().zip(&copies) {
                    self.device.cmd_copy_image_to_buffer(list, image, layout, copy.buffer, &[region]);
                }
            })?;
            let read = |copy| -> Failure<Vec<u32>> {
                let bytes = self.read(copy, bytes.len())?;
                Ok(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
            };
            colours.iter().zip(&copies).map(|(&(location, _), copy)| Ok((location, read(copy)?))).collect()
        }
    }

    unsafe fn image(
        &self,
        format: vk::Format,
        extent: vk::Extent2D,
        made: &mut Made<'_>,
    ) -> Failure<vk::Image> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(extent.into())
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC);
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        // SAFETY: as for `run`.
        unsafe {
            let image = self.device.create_image(&info, None).map_err(says("no image"))?;
            made.images.push(image);
            let memory = self.memory(self.device.get_image_memory_requirements(image).size, made)?;
            self.device.bind_image_memory(image, memory, 0).map_err(says("no binding"))?;
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(format)
                .subresource_range(range);
            made.views.push(self.device.create_image_view(&info, None).map_err(says("no view"))?);
            Ok(image)
        }
    }

    unsafe fn pass(
        &self,
        colours: &[(u32, vk::Format)],
        extent: vk::Extent2D,
        made: &mut Made<'_>,
    ) -> Failure<()> {
        let attachment = |&(_, format): &(u32, vk::Format)| {
            vk::AttachmentDescription::default()
                .format(format)
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)
        };
        let attachments: Vec<_> = colours.iter().map(attachment).collect();
        let references = references(colours);
        let subpasses = [vk::SubpassDescription::default()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(&references)];
        let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
        // SAFETY: as for `run`.
        unsafe {
            made.pass = self.device.create_render_pass(&info, None).map_err(says("no render pass"))?;
            let info = vk::FramebufferCreateInfo::default()
                .render_pass(made.pass)
                .attachments(&made.views)
                .width(extent.width)
                .height(extent.height)
                .layers(1);
            made.frame = self.device.create_framebuffer(&info, None).map_err(says("no frame"))?;
        }
        Ok(())
    }

    unsafe fn pipeline(
        &self,
        dispatch: &Dispatch<'_>,
        colours: &[(u32, vk::Format)],
        extent: vk::Extent2D,
        made: &mut Made<'_>,
    ) -> Failure<()> {
        let vertex = assemble(VERTEX, &AsmOptions::default()).words;
        let info = vk::ShaderModuleCreateInfo::default().code(&vertex);
        // SAFETY: as for `run`.
        made.vertex = unsafe { self.device.create_shader_module(&info, None) }.map_err(says("no shader"))?;
        let (entries, data) = dispatch.special();
        let special = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let name = dispatch.name()?;
        let stage = |stage, module| vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module);
        let stages = [
            stage(vk::ShaderStageFlags::VERTEX, made.vertex).name(c"main"),
            stage(vk::ShaderStageFlags::FRAGMENT, made.shader).name(&name).specialization_info(&special),
        ];
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let views =
            [vk::Viewport::default().width(extent.width as f32).height(extent.height as f32).max_depth(1.0)];
        let scissors = [vk::Rect2D::from(extent)];
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&views).scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let written =
            vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA);
        let blends = vec![written; references(colours).len()];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .layout(made.pipeline_layout)
            .render_pass(made.pass);
        // SAFETY: as for `run`.
        let pipelines =
            unsafe { self.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        made.pipeline = pipelines.map_err(|(_, error)| format!("no pipeline: {error}"))?[0];
        Ok(())
    }
}

/// The attachment of each color location; those between are unused.
fn references(colours: &[(u32, vk::Format)]) -> Vec<vk::AttachmentReference> {
    let count = colours.iter().map(|&(location, _)| location + 1).max().unwrap_or(0);
    let reference = |location| {
        let at = colours.iter().position(|&(other, _)| other == location);
        vk::AttachmentReference::default()
            .attachment(at.map_or(vk::ATTACHMENT_UNUSED, |at| at as u32))
            .layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
    };
    (0..count).map(reference).collect()
}
